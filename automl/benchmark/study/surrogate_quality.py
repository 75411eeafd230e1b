"""How well surrogates order what they have not seen: Kendall's tau on held-out configurations.

Configurations of a table are evaluated; some of them fit a surrogate, others are predicted. A
performance surrogate orders the latter by their loss. A diversity surrogate orders pairs by their
diversity: pairs of one that it has not seen and one that it has, as a search asks for, and pairs of
two that it has not seen.

References
----------
.. [1] Y. Shen et al. (2022). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS.
   https://arxiv.org/abs/2302.03255, section 4.2 and figure 2 (250 of 300 fit, 50 are predicted).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from ConfigSpace import Configuration
from scipy.stats import kendalltau

from automl.benchmark.study.evaluations import StudyEvaluator
from automl.ensembles.diversity import pairwise_diversity
from automl.errors import InputError
from automl.optimizers.named import SURROGATES
from automl.surrogates.diversity import diversity_surrogate
from automl.trial import Origin, Outcome, Proposal, Status, Trial
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray, IntArray
from search_space.encoding import ConfigurationEncoder
from search_space.space import SearchSpace

N_HELD_OUT = 50
"""Configurations that are predicted."""

_DIVERSITY = ("lightgbm", "xgboost", "random_forest")
_PERFORMANCE = ("random_forest", "extra_trees", "gradient_boosting", "gaussian_process")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tau:
    """How well one surrogate ordered what it had not seen.

    Attributes
    ----------
    dataset : str
        Name.
    surrogate : str
        "diversity to observed:", "diversity among unseen:" or "performance:" and its name.
    n_observations : int
        Configurations that it was fitted to.
    seed : int
        Of the draw of configurations and of the surrogate.
    tau : float
        Kendall's tau-b of predictions and truth.
    """

    dataset: str
    surrogate: str
    n_observations: int
    seed: int
    tau: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Known:
    """Configurations that were evaluated with success, and what came of them."""

    space: SearchSpace
    configurations: tuple[Configuration, ...]
    losses: FloatArray
    diversity: FloatArray


class TooFewModelsError(InputError):
    """A table has too few successes for a number of observations."""


def surrogate_taus(
    evaluator: StudyEvaluator, space: SearchSpace, dataset: str, *, n_observations: int, seed: int
) -> tuple[Tau, ...]:
    """Return the taus of all surrogates on configurations of a table.

    Parameters
    ----------
    evaluator : StudyEvaluator
        Knows the evaluations of the table.
    space : SearchSpace
        A finite one, the table; what failed is left out.
    dataset : str
        What results call it.
    n_observations : int
        How many configurations surrogates are fitted to; more of them begin with fewer.
    seed : int
        Draws what is held out and what is observed first.

    Raises
    ------
    TooFewModelsError
        If the table has too few successes.
    """
    table = space.finite or ()
    known = _known(evaluator, space, table)
    n_found = len(known.losses)
    if n_found < n_observations + N_HELD_OUT:
        raise TooFewModelsError(
            f"{dataset}: {n_observations} observations left out, as with {N_HELD_OUT} that are "
            f"held out they need {n_observations + N_HELD_OUT} successful configurations, and the "
            f"table of {len(table)} has {n_found}; build a longer one"
        )
    order = np.random.default_rng([seed, 0]).permutation(n_found)
    held_out, observed = order[:N_HELD_OUT], order[N_HELD_OUT:][:n_observations]
    return tuple(
        Tau(dataset=dataset, surrogate=name, n_observations=n_observations, seed=seed, tau=tau)
        for name, tau in _taus(known, observed, held_out, seed)
    )


def _known(evaluator: StudyEvaluator, space: SearchSpace, table: Sequence[Configuration]) -> _Known:
    evaluations = [evaluator(configuration) for configuration in table]
    successes = [i for i, e in enumerate(evaluations) if e.status is Status.SUCCESS]
    validation, _ = evaluator.predictions([evaluations[i] for i in successes])
    codes, _ = evaluator.codes
    return _Known(
        space=space,
        configurations=tuple(table[i] for i in successes),
        losses=np.mean(validation.argmax(axis=2) != codes, axis=1),
        diversity=pairwise_diversity(validation),
    )


def _taus(
    known: _Known, observed: IntArray, held_out: IntArray, seed: int
) -> Iterator[tuple[str, float]]:
    encoder = ConfigurationEncoder(known.space)
    X, unseen = (
        encoder.encode([known.configurations[i] for i in rows]) for rows in (observed, held_out)
    )
    pairs = np.triu_indices(len(held_out), k=1)
    truth = known.diversity[np.ix_(held_out, held_out)][pairs]
    for kind in _DIVERSITY:
        rng = np.random.default_rng([seed, 1])
        fitted = diversity_surrogate(kind).fit(X, known.diversity[np.ix_(observed, observed)], rng)
        among, _ = fitted.predict(unseen, unseen)
        yield f"diversity among unseen:{kind}", _tau(among[pairs], truth)
        to_observed, _ = fitted.predict(unseen, X)
        yield (
            f"diversity to observed:{kind}",
            _tau(to_observed.ravel(), known.diversity[np.ix_(held_out, observed)].ravel()),
        )
    history = _history(known, observed, encoder)
    for name in _PERFORMANCE:
        rng = np.random.default_rng([seed, 2])
        mean, _ = SURROGATES[name].fit_to(history, rng).surrogate.predict(unseen)
        yield f"performance:{name}", _tau(mean, known.losses[held_out])


@dataclass(frozen=True, slots=True)
class _Problem:
    search_space: SearchSpace
    encoder: ConfigurationEncoder


def _history(known: _Known, observed: IntArray, encoder: ConfigurationEncoder) -> TrialHistory:
    """Return a history of the observed configurations."""
    history = TrialHistory(_Problem(known.space, encoder), seed=0)
    proposals = [
        Proposal(configuration=known.configurations[i], origin=Origin.RANDOM) for i in observed
    ]
    history.replay(
        [Trial(number=number, proposal=proposal) for number, proposal in enumerate(proposals)],
        [
            Outcome(number=n, status=Status.SUCCESS, loss=float(known.losses[i]), seconds=0.0)
            for n, i in enumerate(observed)
        ],
    )
    return history


def _tau(predicted: FloatArray, truth: FloatArray) -> float:
    """Return tau-b, 0 where all predictions are equal."""
    tau = float(kendalltau(predicted, truth).statistic)
    return 0.0 if np.isnan(tau) else tau
