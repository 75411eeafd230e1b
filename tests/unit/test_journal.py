"""The journal: one checksummed line for each event."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, Constant, Float, Integer
from fakes.histories import Job, fail, mixed_space, random_proposal, space_of, succeed
from fakes.workers import FakeClock
from hypothesis import given
from hypothesis import strategies as st

from automl.errors import InputError, JournalError
from automl.history import History
from automl.storage.journal import Journal
from automl.storage.journal_reading import read_journal, restored_trial
from automl.storage.journal_records import JournalHeader, WrittenTrial, as_json
from automl.trial import Origin, Outcome, Proposal, Status, Trial

HEADER = JournalHeader(
    seed=5,
    metric="accuracy",
    n_rows=40,
    n_classes=3,
    n_splits=5,
    data="0123",
    search_space="4567",
    versions={"python": "3.11"},
)


def lines(path: Path) -> list[tuple[str, str]]:
    text = path.read_text(encoding="ascii")
    assert text.endswith("\n")
    found = []
    for line in text.splitlines():
        checksum, record = line.split("\t")
        found.append((checksum, record))
    return found


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(record) for _, record in lines(path)]


def test_every_line_carries_the_checksum_of_its_json(tmp_path: Path) -> None:
    job = Job(mixed_space())
    with Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)) as journal:
        history = job.history(journal=journal)
        rng = np.random.default_rng(0)
        for _ in range(5):
            succeed(job, history, history.open_trial(random_proposal(job.space, rng)))
    found = lines(tmp_path / "j")
    assert len(found) == 11
    for checksum, record in found:
        assert checksum == f"{zlib.crc32(record.encode()):08x}"
        damaged = record.replace("0", "1", 1)
        assert damaged == record or checksum != f"{zlib.crc32(damaged.encode()):08x}"


def test_proposals_stand_before_their_outcomes_in_the_order_of_what_happened(
    tmp_path: Path,
) -> None:
    job = Job(mixed_space())
    with Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)) as journal:
        history = job.history(journal=journal)
        rng = np.random.default_rng(0)
        trials = [history.open_trial(random_proposal(job.space, rng)) for _ in range(2)]
        succeed(job, history, trials[1])
        trials.append(history.open_trial(random_proposal(job.space, rng)))
        fail(history, trials[0])
    kinds = [(record["kind"], record.get("number")) for record in records(tmp_path / "j")]
    assert kinds == [
        ("search", None),
        ("trial", 0),
        ("trial", 1),
        ("outcome", 1),
        ("trial", 2),
        ("outcome", 0),
    ]


def test_a_line_is_on_disk_before_the_call_returns(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)) as journal:
        assert len(lines(tmp_path / "j")) == 1
        journal.write_outcome(
            Outcome(number=0, status=Status.SUCCESS, loss=0.25, seconds=1.5, memory_mib=3.0)
        )
        assert len(lines(tmp_path / "j")) == 2


def test_the_header_says_what_identifies_the_search(tmp_path: Path) -> None:
    Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)).close()
    assert records(tmp_path / "j") == [{"kind": "search", "format": 1, **asdict(HEADER), "at": 0.0}]
    content = read_journal(tmp_path / "j")
    assert content.header == HEADER
    assert content.trials == content.outcomes == ()


def test_a_file_that_exists_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "j").write_text("of another search")
    with pytest.raises(FileExistsError):
        Journal.create(tmp_path / "j", HEADER, FakeClock(0.0))
    assert (tmp_path / "j").read_text() == "of another search"


def test_values_of_every_kind_of_hyperparameter_come_back_exactly(tmp_path: Path) -> None:
    space = ConfigurationSpace()
    space.add(
        Categorical("classifier", ["a"]),
        Categorical("text", ["ä", 'quote " and\ttab']),
        Categorical("mixed", [True, None, 3, 0.5, "x"]),
        Categorical("ordered", [1, 10, 100], ordered=True),
        Float("rate", (1e-12, 1.0), log=True),
        Integer("count", (1, 2**40), log=True),
    )
    space.seed(0)
    configurations = space.sample_configuration(30)
    with Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)) as journal:
        for number, configuration in enumerate(configurations):
            proposal = Proposal(
                configuration=configuration, origin=Origin.RANDOM, beliefs={"a": np.float64(0.1)}
            )
            journal.write_trial(Trial(number=number, proposal=proposal))
    written = records(tmp_path / "j")[1:]
    assert [record["configuration"] for record in written] == [dict(c) for c in configurations]
    assert {record["origin"] for record in written} == {"random"}
    assert written[0]["beliefs"] == {"a": 0.1}
    assert space_of(space, ["a"]).classifier_of(written[0]["configuration"]) == "a"


@given(
    loss=st.floats(allow_nan=False) | st.just(math.inf),
    seconds=st.floats(0, 1e6),
    status=st.sampled_from(Status),
    text=st.text(st.characters(), max_size=30),
)
def test_an_outcome_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory,
    loss: float,
    seconds: float,
    status: Status,
    text: str,
) -> None:
    path = tmp_path_factory.mktemp("journal") / "j"
    outcome = Outcome(
        number=3, status=status, loss=loss, seconds=seconds, reason=text, traceback=text * 3
    )
    with Journal.create(path, HEADER, FakeClock(0.0)) as journal:
        journal.write_outcome(outcome)
    trial = Trial(number=0, proposal=random_proposal(SPACE, np.random.default_rng(0)))
    with Journal.create(path.with_name("k"), HEADER, FakeClock(0.0)) as journal:
        journal.write_trial(trial)
        journal.write_outcome(replace(outcome, number=0))
    (_, record) = records(path)
    assert record.pop("kind") == "outcome"
    assert float(record["loss"]) == loss
    assert read_journal(path.with_name("k")).outcomes == (replace(outcome, number=0),)


def test_a_loss_that_is_infinite_is_text_in_the_file_and_a_number_when_read(
    tmp_path: Path,
) -> None:
    path = written(tmp_path, n_trials=1, ends=fail)
    (_, _, (_, text)) = lines(path)
    assert '"loss": "Infinity"' in text
    assert read_journal(path).outcomes[0].loss == math.inf


def refuse_constant(name: str) -> float:
    raise AssertionError(f"{name} is not JSON")


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, np.float32("inf")])
def test_no_line_holds_what_is_not_json(value: float) -> None:
    text = as_json({"deep": [{"in": (value, 1.5)}], "flat": value})
    found = json.loads(text, parse_constant=refuse_constant)
    assert repr(float(found["flat"])) == repr(float(value))
    assert found["deep"][0]["in"][1] == 1.5


# --- reading ---------------------------------------------------------------------------------

SPACE = mixed_space()


def written(
    tmp_path: Path, n_trials: int, ends: Callable[[History, Trial], object] | None = None
) -> Path:
    """Return the journal of trials that all succeeded, or ended otherwise."""
    job = Job(SPACE)
    path = tmp_path / "j"
    with Journal.create(path, HEADER, FakeClock(0.0)) as journal:
        history = job.history(journal=journal)
        rng = np.random.default_rng(0)
        for _ in range(n_trials):
            trial = history.open_trial(random_proposal(SPACE, rng))
            if ends is None:
                succeed(job, history, trial)
            else:
                ends(history, trial)
    return path


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    job = Job(SPACE)
    with Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)) as journal:
        history = job.history(journal=journal)
        rng = np.random.default_rng(0)
        trials = []
        for _ in range(4):
            beliefs = {"log_ei": -math.inf, "mean": 0.1 + 0.2}
            proposal = replace(random_proposal(SPACE, rng), beliefs=beliefs)
            trials.append(history.open_trial(proposal))
        for trial in (trials[2], trials[0]):
            succeed(job, history, trial)
        fail(history, trials[1])
    content = read_journal(tmp_path / "j")
    space = SPACE.configuration_space
    restored = tuple(restored_trial(trial, space) for trial in content.trials)
    assert content.outcomes == history.outcomes
    assert restored == history.trials
    for ours, theirs in zip(restored, history.trials, strict=True):
        assert (
            ours.configuration.get_array().tobytes() == theirs.configuration.get_array().tobytes()
        )
        assert list(ours.configuration.items()) == list(theirs.configuration.items())
    assert not content.is_torn
    assert content.n_bytes == (tmp_path / "j").stat().st_size


def test_a_journal_that_is_cut_anywhere_gives_the_lines_before(tmp_path: Path) -> None:
    whole = written(tmp_path, n_trials=2).read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    path = tmp_path / "cut"
    for length in range(ends[0], len(whole) + 1):
        path.write_bytes(whole[:length])
        content = read_journal(path)
        n_lines = sum(end <= length for end in ends)
        assert 1 + len(content.trials) + len(content.outcomes) == n_lines
        assert content.n_bytes == ends[n_lines - 1]
        assert content.is_torn == (length not in ends)


@pytest.mark.parametrize("garbage", [b"\0" * 50, b"12345678\t{}\n", b"\r\n", b"\xff"])
def test_a_last_line_of_anything_is_torn(tmp_path: Path, garbage: bytes) -> None:
    path = written(tmp_path, n_trials=2)
    sound = path.stat().st_size
    with path.open("ab") as file:
        file.write(garbage)
    content = read_journal(path)
    assert content.is_torn
    assert content.n_bytes == sound
    assert len(content.outcomes) == 2


@given(data=st.data())
def test_a_damaged_byte_is_never_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = written(tmp_path_factory.mktemp("journal"), n_trials=2)
    content = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    last = bytes(content).rfind(b"\n", 0, len(content) - 1) + 1
    if position < last:
        with pytest.raises(JournalError, match=r"line \d of journal"):
            read_journal(path)
    else:
        found = read_journal(path)
        assert found.is_torn
        assert len(found.outcomes) == 1


@pytest.mark.parametrize("line", [1, 2, 3, 4])
def test_a_damaged_line_before_the_last_is_refused_by_its_number(tmp_path: Path, line: int) -> None:
    path = written(tmp_path, n_trials=2)
    content = path.read_bytes().splitlines(keepends=True)
    content[line - 1] = content[line - 1].replace(b"kind", b"kine")
    path.write_bytes(b"".join(content))
    with pytest.raises(JournalError, match=f"line {line} of journal .* its checksum does not fit"):
        read_journal(path)


@pytest.mark.parametrize(
    ("order", "line"),
    [
        ([0, 1, 2, 4], 4),  # the outcome of a trial that was never opened
        ([0, 3], 2),  # trials are numbered from 0
        ([0, 1, 1], 3),
        ([0, 1, 2, 2], 4),  # two outcomes of one trial
        ([0, 1, 2, 0, 3], 4),  # another search
    ],
)
def test_sound_lines_in_an_impossible_order_are_refused(
    tmp_path: Path, order: list[int], line: int
) -> None:
    path = written(tmp_path, n_trials=2)  # header, trial 0, outcome 0, trial 1, outcome 1
    content = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(content[i] for i in order))
    with pytest.raises(JournalError, match=f"line {line} of journal .* does not follow"):
        read_journal(path)


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "search", "format": 2, **asdict(HEADER)},
        {"kind": "search", **asdict(HEADER)},
        {"kind": "search", "format": 1, "seed": 5},
        {"kind": "outcome", "number": 0},
        {"kind": "dream"},
        {},
        [1, 2],
        "text",
    ],
)
def test_a_sound_line_that_is_no_record_is_refused(tmp_path: Path, record: Any) -> None:
    text = json.dumps(record).encode()
    path = tmp_path / "j"
    path.write_bytes(b"%08x\t%s\n" % (zlib.crc32(text), text))
    with pytest.raises(JournalError, match="line 1 of journal"):
        read_journal(path)


def test_a_journal_without_a_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(JournalError, match="does not begin with the header"):
        read_journal(tmp_path / "empty")
    whole = written(tmp_path, n_trials=1).read_bytes().splitlines(keepends=True)
    (tmp_path / "headless").write_bytes(b"".join(whole[1:]))
    with pytest.raises(JournalError, match="does not begin with the header"):
        read_journal(tmp_path / "headless")
    with pytest.raises(JournalError, match="cannot be read"):
        read_journal(tmp_path / "nowhere")


def test_a_journal_is_continued_where_it_is_sound(tmp_path: Path) -> None:
    path = written(tmp_path, n_trials=2)
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])
    before = read_journal(path)
    assert before.is_torn
    with Journal.continued(path, before.n_bytes, FakeClock(7.5)) as journal:
        outcome = Outcome(number=1, status=Status.TIMEOUT, loss=math.inf, seconds=2.0)
        journal.write_outcome(outcome)
    after = read_journal(path)
    assert not after.is_torn
    assert after.outcomes == (*before.outcomes, outcome)
    assert after.trials == before.trials


def test_choices_of_types_that_json_does_not_have_come_back_as_they_were(tmp_path: Path) -> None:
    space = ConfigurationSpace()
    space.add(
        Categorical("classifier", ["a"]),
        Categorical("layers", [(50,), (50, 50), None]),
        Categorical("limit", [1.5, math.inf]),
        Constant("fixed", "x"),
    )
    space.seed(0)
    for number, configuration in enumerate(space.sample_configuration(20)):
        path = tmp_path / str(number)
        proposal = Proposal(configuration=configuration, origin=Origin.RANDOM)
        with Journal.create(path, HEADER, FakeClock(0.0)) as journal:
            journal.write_trial(Trial(number=0, proposal=proposal))
        (trial,) = read_journal(path).trials
        assert restored_trial(trial, space).configuration == configuration


@pytest.mark.parametrize(
    "values",
    [{"classifier": "unknown"}, {"another": 1}, {"classifier": "slow"}, {}],
)
def test_a_configuration_of_another_space_is_refused(values: dict[str, Any]) -> None:
    trial = WrittenTrial(number=7, origin=Origin.RANDOM, configuration=values, beliefs={})
    with pytest.raises(JournalError, match="configuration of trial 7 is not one of this search"):
        restored_trial(trial, SPACE.configuration_space)


def test_the_time_used_is_that_of_the_last_line(tmp_path: Path) -> None:
    job, clock = Job(mixed_space()), FakeClock(0.25)
    with Journal.create(tmp_path / "j", HEADER, clock) as journal:
        history = job.history(journal=journal)
        clock.now = 1.5
        trial = history.open_trial(random_proposal(job.space, np.random.default_rng(0)))
        clock.now = 12.25
        succeed(job, history, trial)
    assert [record["at"] for record in records(tmp_path / "j")] == [0.25, 1.5, 12.25]
    assert read_journal(tmp_path / "j").seconds_used == 12.25


def test_a_reopened_trial_has_no_outcome_until_it_ends_again(tmp_path: Path) -> None:
    job, path = Job(mixed_space()), tmp_path / "j"
    with Journal.create(path, HEADER, FakeClock(0.0)) as journal:
        history = job.history(journal=journal)
        trial = history.open_trial(random_proposal(job.space, np.random.default_rng(0)))
        outcome = succeed(job, history, trial)
        journal.write_reopened(0)
        assert read_journal(path).outcomes == ()
        journal.write_outcome(replace(outcome, seconds=9.0))
    assert [outcome.seconds for outcome in read_journal(path).outcomes] == [9.0]


def test_a_trial_without_an_outcome_cannot_be_reopened(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)) as journal:
        journal.write_reopened(0)
    with pytest.raises(JournalError, match=r"line 2 .* does not follow"):
        read_journal(tmp_path / "j")


def test_a_journal_that_another_fit_writes_to_is_refused(tmp_path: Path) -> None:
    with (
        Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)),
        pytest.raises(InputError, match="work_dir: another fit writes to"),
    ):
        Journal.continued(tmp_path / "j", 0, FakeClock(0.0))


def test_a_journal_is_never_there_without_its_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", is_full)
    with pytest.raises(OSError, match="no space left"):
        Journal.create(tmp_path / "j", HEADER, FakeClock(0.0))
    assert not (tmp_path / "j").exists()
    monkeypatch.undo()
    Journal.create(tmp_path / "j", HEADER, FakeClock(0.0)).close()
    assert [path.name for path in tmp_path.iterdir()] == ["j"]
