"""Candidates of a finite space: what was never taken up, each once, and ranks among these."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.histories import Job, succeed, table_space
from fakes.surrogates import KnownDiversity
from scipy.stats import rankdata

from automl.history import History
from automl.optimizers.divbo import DivBO
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.scored_candidates import CandidateSettings, Guidance, score_candidates
from automl.trial import Origin, Proposal

GUIDANCE = Guidance(candidates=CandidateSettings(n_random=200, n_local=4))


def tried(n: int) -> History:
    """Return a history of the first configurations of a table of 31."""
    job = Job(table_space(30))
    history = job.history()
    for configuration in job.space.finite[:n]:
        proposal = Proposal(configuration=configuration, origin=Origin.RANDOM)
        succeed(job, history, history.open_trial(proposal))
    return history


@pytest.mark.parametrize("n", [1, 12, 30])
def test_candidates_are_the_untried_each_once(n: int) -> None:
    history = tried(n)
    scored = score_candidates(history, np.random.default_rng(0), GUIDANCE)
    found = list(scored.configurations)
    assert len(found) == len(scored.scores) == len(scored.encoded) == 31 - n
    assert set(found) == set(history.problem.search_space.finite[n:])
    encoded = history.problem.encoder.encode(found)
    assert np.array_equal(scored.encoded, encoded, equal_nan=True)


def test_nothing_is_left_out_where_all_was_tried() -> None:
    scored = score_candidates(tried(31), np.random.default_rng(0), GUIDANCE)
    assert len(scored.configurations) == 31


@pytest.mark.parametrize("weight", [0.02, 0.3, 1.0])
def test_ranks_are_those_among_the_untried(weight: float) -> None:
    history, surrogate = tried(15), KnownDiversity()
    optimizer = DivBO(
        initial_design=RandomDesign(0),
        guidance=GUIDANCE,
        diversity_surrogate=surrogate,
        fixed_weight=weight,
    )
    chosen = optimizer.propose(history, np.random.default_rng(3))
    scored = score_candidates(history, np.random.default_rng(3), GUIDANCE)
    distances = np.linalg.norm(scored.encoded[:, None] - surrogate.pools[0][None], axis=-1)
    ranks = rankdata(-scored.scores) + weight * rankdata(-distances.min(axis=1))
    assert chosen.beliefs["rank_sum"] == pytest.approx(ranks.min())
    assert chosen.configuration == scored.configurations[int(ranks.argmin())]
    assert not history.was_proposed(chosen.configuration)
