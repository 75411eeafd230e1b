"""The folder of a search: a temporary one, a new one, or that of a search to go on with."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from automl.abandoned_folders import PREFIX, mark, sweep
from automl.errors import InputError
from automl.resumption import JOURNAL, SearchFolder, journal_of
from automl.settings import Settings
from automl.storage.journal_reading import JournalContent

_WRITTEN_BEFORE_A_JOURNAL = {"table", f"{JOURNAL}.partial"}


def begun_search(settings: Settings) -> JournalContent | None:
    """Return what the search to go on with has written, None where a new one begins.

    Raises
    ------
    InputError
        If the folder holds anything that is not to go on with.
    JournalError
        If the journal there is damaged other than by a torn last line.
    """
    folder = settings.work_dir
    if folder is None:
        if settings.resume:
            raise InputError("resume needs the folder of the search to go on with; give work_dir")
        return None
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if not names:
        return None
    if not settings.resume:
        advice = "give resume=True to go on with the search in it, or " if JOURNAL in names else ""
        raise InputError(
            f"work_dir {str(folder)!r} is not empty; {advice}choose a new folder; nothing in it "
            "was touched"
        )
    written = journal_of(folder)
    if written is None and not names <= _WRITTEN_BEFORE_A_JOURNAL:
        raise InputError(
            f"work_dir {str(folder)!r} is not empty and holds no search to go on with; choose "
            "another folder; nothing in it was touched"
        )
    return written


@contextmanager
def work_folder(asked: Path | None, written: JournalContent | None) -> Iterator[SearchFolder]:
    """Give the folder that was asked for, or a temporary one that is removed at the end.

    Temporary folders of processes that were killed are removed as well.
    """
    sweep(Path(tempfile.gettempdir()))
    if asked is not None:
        asked.mkdir(parents=True, exist_ok=True)
        yield SearchFolder(asked, written)
        return
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        mark(folder)
        yield SearchFolder(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
