"""The journal: one checksummed line for each event."""

from __future__ import annotations

import json
import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, Float, Integer
from fakes.histories import Job, fail, mixed_space, random_proposal, space_of, succeed
from hypothesis import given
from hypothesis import strategies as st

from automl.storage.journal import Journal
from automl.trial import Origin, Outcome, Proposal, Status, Trial

HEADER = {"seed": 5, "n_rows": np.int64(40), "metric": "accuracy"}


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
    with Journal(tmp_path / "j", HEADER) as journal:
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
    with Journal(tmp_path / "j", HEADER) as journal:
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
    with Journal(tmp_path / "j", HEADER) as journal:
        assert len(lines(tmp_path / "j")) == 1
        journal.write_outcome(
            Outcome(number=0, status=Status.SUCCESS, loss=0.25, seconds=1.5, memory_mib=3.0)
        )
        assert len(lines(tmp_path / "j")) == 2


def test_the_header_says_what_identifies_the_search(tmp_path: Path) -> None:
    Journal(tmp_path / "j", HEADER).close()
    expected = {"kind": "search", "seed": 5, "n_rows": 40, "metric": "accuracy"}
    assert records(tmp_path / "j") == [expected]


def test_a_file_that_exists_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "j").write_text("of another search")
    with pytest.raises(FileExistsError):
        Journal(tmp_path / "j", HEADER)
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
    with Journal(tmp_path / "j", {}) as journal:
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
    loss=st.floats(allow_nan=False),
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
    with Journal(path, {}) as journal:
        journal.write_outcome(outcome)
    (_, record) = records(path)
    assert record.pop("kind") == "outcome"
    assert Outcome(**record | {"status": Status(record["status"])}) == outcome


def test_the_loss_of_a_failure_is_infinite_in_the_file_too(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", {}) as journal:
        journal.write_outcome(
            Outcome(number=0, status=Status.CRASHED, loss=math.inf, seconds=0.0, reason="no")
        )
    assert records(tmp_path / "j")[1]["loss"] == math.inf
