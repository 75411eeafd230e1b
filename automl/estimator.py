"""The estimator: parameters in, a fitted ensemble out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import numpy.typing as npt
from ConfigSpace import ConfigurationSpace
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from automl.asked_parameters import asked_parameters, check_unchanged
from automl.budget import Budget
from automl.changes import Change
from automl.data.labels import comparable_labels
from automl.data.weights import checked_sample_weight
from automl.ensembles.weighted_ensemble import WeightedEnsemble
from automl.errors import AutoMLWarning, DegradedResultWarning, InputError
from automl.fitted_views import FittedViews
from automl.fitting import FitResult, fit_ensemble
from automl.history import History
from automl.interruption import ended_by_signals
from automl.leaderboard import TrialRecord
from automl.model_state import fitted_names
from automl.optimizers.acquisition_policy import AcquisitionPolicy
from automl.optimizers.optimizer import Optimizer
from automl.optimizers.performance_model import PerformanceModel
from automl.parallel.slots import worker_count
from automl.portable import Portable
from automl.preparation import Prepared, prepare, prepare_again
from automl.progress import watch
from automl.settings import Settings, check_settings, prolonged
from automl.storage.journal_reading import JournalContent
from automl.surrogates.surrogate import Surrogate
from automl.trial import Outcome
from automl.work_folder import begun_search, work_folder
from search_space.arrays import FloatArray

Callback = Callable[[Outcome, History], object]


class AutoClassifier(Portable, FittedViews, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Searches for models that are good together and predicts with their weighted average.

    Learners, preprocessors and their hyperparameters form one search space. DivBO [1]_ proposes
    what to evaluate next, every evaluation runs in a process with a time and a memory limit, and
    greedy ensemble selection [2]_ over the stored validation predictions picks the members.

    Parameters
    ----------
    time_limit : float or None, default=300.0
        Seconds for the whole of ``fit``, refit included. None for no limit.
    n_trials : int or None, default=None
        Evaluations. None for no limit. With both limits the first one reached ends the search.
    scoring : str or callable, default="accuracy"
        Name of a scikit-learn scorer, a scorer made by ``make_scorer``, or a callable
        ``scorer(estimator, X, y)``.
    cv : str, float, int, splitter or iterable, default="auto"
        "auto" (stratified folds for small tables, a stratified hold-out for large ones and where
        `time_limit` is short for the table),
        "holdout", the fraction of rows that validate, a number of stratified folds, a splitter, or
        an iterable of (train, validation) row numbers. Rows that no fold validates only train.
    class_weight : dict, str or None, default=None
        Weight of each label in training, times `sample_weight`: a dict (labels that are not in it
        have weight 1) or "balanced", which gives all classes the same sum of weights. Losses are
        taken with `sample_weight` alone: if errors of one class cost more, `scoring` has to say so
        as well.
    optimizer : str or object, default="divbo"
        "divbo", "bo" (the same without diversity), "random", "rising_bandit" (drops learners that
        cannot catch up; needs `n_trials`), "ensemble_optimization" (models the loss of an ensemble
        with one model exchanged), "nes" (evolves members of an ensemble), "kbo" (as many
        evaluations for each learner), or an object with a method ``propose(history, rng)`` that
        returns a ``Proposal``; those that go by a model leave every fifth proposal to chance. What
        an object raises ends ``fit``, except ``SpaceExhaustedError``, which ends the search.
    surrogate : str, object or None, default=None
        Performance model of all but "random" and "nes": "random_forest" (None), "extra_trees",
        "gradient_boosting", "gaussian_process", "gaussian_process_horseshoe" (expects less
        noise), "densbo" (an ensemble of the first four that adapts its weights),
        "equal_weights" (one that does not), or an object with a method ``fit(X, y, rng)``.
    acquisition : str, object or None, default=None
        Acquisition function of the same: "ei" (None), "pi", "lcb", "sawei" (weighted expected
        improvement that adjusts its weight), "mace" (Pareto fronts of three functions), "hedge"
        (one of three by their gains), or an object with a method ``scoring(situation)``.
    search_space : str or ConfigurationSpace, default="default"
        "default", "divbo" (the space of the paper), "fast" (three cheap learners), or a
        ConfigurationSpace made from one of them.
    include : list of str or None, default=None
        Names of the only learners to use.
    exclude : list of str or None, default=None
        Names of learners not to use.
    extra_learners : list or None, default=None
        Learners of your own: scikit-learn classifiers, or ``search_space.Component`` objects.
    ensemble_size : int, default=25
        Rounds of ensemble selection. 1 gives the single best model. If `scoring` reads predicted
        labels only, losses within one standard error of the lowest count as equal and the log loss
        decides among them.
    trial_time_limit : float, None or "auto", default="auto"
        Seconds for one evaluation, all folds. "auto" is an eighth of `time_limit`, or 600 seconds
        without one.
    memory_limit : float, None or "auto", default="auto"
        MiB that one evaluation may use above its start. "auto" shares 80 % of the free memory
        among the workers.
    n_jobs : int or None, default=None
        Evaluations that run at the same time, as in joblib; ``joblib.parallel_config`` counts.
        -1 is all cores that the process may use, by quota, affinity and SLURM job.
    deterministic : bool, default=False
        Whether trials, weights and predictions are the same for any `n_jobs`, given `random_state`
        and `n_trials`. Evaluations are proposed in rounds of four that know nothing of each other,
        so that no more than four run at the same time, and a round that has begun is completed.
        Without it, the evaluations that end first decide what several workers try next; one worker
        is repeatable anyway. Limits of time and memory depend on the machine in either case: set
        `time_limit` to None, `trial_time_limit` and `memory_limit` to more than is needed.
    refit : bool, default=True
        Whether the members are fitted again on all rows. Otherwise, and where the time is too
        short for it, the models of the validation splits are averaged.
    work_dir : str, Path or None, default=None
        Folder for the journal and the stored predictions. None uses a temporary folder that is
        removed at the end of ``fit``.
    resume : bool, default=False
        Whether ``fit`` goes on with the search that `work_dir` holds, after it ended or was killed:
        on the same folds, with the same sequence of seeds and what is left of the limits, without
        repeating a finished evaluation. Table, splits, scoring, search space, seed and versions of
        packages have to be the same. Where `work_dir`
        is empty, a new search begins.
    verbose : int, default=0
        0 is silent, 1 reports progress to standard error, 2 or more also has a line for each
        trial.
    callbacks : list of callable or None, default=None
        Each is called as ``callback(outcome, history)`` after an evaluation. If one returns True,
        the search ends early. What it raises ends ``fit``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of everything random.

    Attributes
    ----------
    classes_ : (k,) array
        The labels, sorted.
    n_features_in_ : int
        Columns of the table.
    feature_names_in_ : (d,) array of str
        Their names, where the table had text names.
    ensemble_ : WeightedEnsemble
        Members and weights.
    decision_threshold_ : float
        Probability of the second of two classes above which `predict` gives it: one half, or what
        suits a `scoring` that reads labels only, such as "f1".
    trials_ : tuple of TrialRecord
        Every trial that ended, by number: all of the leaderboard, and why a trial failed, its
        traceback, its memory and where its configuration came from.
    failures_ : tuple of Failure
        What failed, one entry for each kind: how it ended, why, how often, in which trial first,
        and the first traceback.
    changes_ : tuple of Change
        What was dropped, converted or left out, and why.
    validation_ : str
        How the models were validated.
    was_interrupted_ : bool
        Whether ``fit`` ended early because of Ctrl-C or SIGTERM.
    baseline_loss_ : float
        Validation loss of predicting the class frequencies; infinite if `scoring` has no value for
        a constant prediction.
    best_loss_ : float
        Validation loss of the best single model.
    best_score_ : float
        The value of `scoring` that `best_loss_` stands for.

    References
    ----------
    .. [1] Y. Shen et al. (2022). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS.
       https://arxiv.org/abs/2302.03255
    .. [2] R. Caruana, A. Niculescu-Mizil, G. Crew, A. Ksikes (2004). Ensemble Selection from
       Libraries of Models. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = AutoClassifier(n_trials=3, time_limit=None, search_space="fast", random_state=0)
    >>> clf.fit(X, y).predict(X[:2])
    array([0, 0])
    """

    ensemble_: WeightedEnsemble

    def __init__(  # noqa: PLR0913 - the public configuration, by the rules of scikit-learn
        self,
        *,
        time_limit: float | None = 300.0,
        n_trials: int | None = None,
        scoring: str | Callable[..., float] = "accuracy",
        cv: Any = "auto",
        class_weight: Mapping[Any, float] | str | None = None,
        optimizer: str | Optimizer = "divbo",
        surrogate: str | Surrogate | PerformanceModel | None = None,
        acquisition: str | AcquisitionPolicy | None = None,
        search_space: str | ConfigurationSpace = "default",
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        extra_learners: Sequence[Any] | None = None,
        ensemble_size: int = 25,
        trial_time_limit: float | str | None = "auto",
        memory_limit: float | str | None = "auto",
        n_jobs: int | None = None,
        deterministic: bool = False,
        refit: bool = True,
        work_dir: str | Path | None = None,
        resume: bool = False,
        verbose: int = 0,
        callbacks: Sequence[Callback] | None = None,
        random_state: Any = None,
    ) -> None:
        self.time_limit = time_limit
        self.n_trials = n_trials
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.optimizer = optimizer
        self.surrogate = surrogate
        self.acquisition = acquisition
        self.search_space = search_space
        self.include = include
        self.exclude = exclude
        self.extra_learners = extra_learners
        self.ensemble_size = ensemble_size
        self.trial_time_limit = trial_time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.deterministic = deterministic
        self.refit = refit
        self.work_dir = work_dir
        self.resume = resume
        self.verbose = verbose
        self.callbacks = callbacks
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Search for an ensemble on a table.

        Ctrl-C or SIGTERM ends the search: ``fit`` returns with what was found until then and warns.
        A second one stops it at once. This holds in the main thread, for signals that nobody else
        handles.

        Parameters
        ----------
        X : (n, d) array, DataFrame or sparse matrix
            Features: numbers, text, categories, booleans, dates. Values may be missing.
        y : (n,) array or Series
            Labels: text, whole numbers or booleans. None may be missing.
        sample_weight : (n,) array, Series or None, default=None
            How much each row counts, by position, beside the others: in training, losses, the
            choice of the ensemble and the refit. Learners that take no weights are left out; a
            `scoring` that takes none is used without them, with a warning. Preprocessors take none.
        groups : (n,) array, Series or None, default=None
            Names of groups. Rows of one group train together or validate together, unless `cv` is
            an iterable, which says so itself; a splitter gets them.

        Returns
        -------
        AutoClassifier
            This estimator.

        Raises
        ------
        ValueError
            If an argument or a parameter cannot be used; nothing was started then.
        """
        started_at = time.monotonic()
        self._forget()
        settings = check_settings(self)
        written = begun_search(settings)
        seconds_before = 0.0
        if written is not None:
            seconds_before = written.seconds_used
            if self.random_state is None:
                settings = replace(settings, seed=written.header.seed)
        budget = Budget(
            seconds=settings.time_limit,
            n_trials=settings.n_trials,
            started_at=started_at - seconds_before,
        )
        prepared = prepare(X, y, self, settings, sample_weight=sample_weight, groups=groups)
        for change in prepared.to_warn_of:
            warnings.warn(str(change), AutoMLWarning, stacklevel=2)
        for shortfall in self._search(prepared, settings, budget, written):
            warnings.warn(shortfall, DegradedResultWarning, stacklevel=2)
        return self

    def fit_more(self, *, time_limit: float | None = None, n_trials: int | None = None) -> Self:
        """Go on with the search that `fit` ended, in its `work_dir`, and choose a new ensemble.

        Parameters
        ----------
        time_limit : float or None, default=None
            Further seconds. None for no limit.
        n_trials : int or None, default=None
            Further evaluations. None for no limit. With both limits the first one reached ends the
            search.

        Returns
        -------
        AutoClassifier
            This estimator; its parameters stay as they are.

        Raises
        ------
        ValueError
            If there is no limit, the files of the search are not there any more or do not belong to
            this estimator, or a parameter was set since that they fix.
        """
        started_at = time.monotonic()
        check_is_fitted(self, "ensemble_")
        # Not a clone, which would copy callbacks and an optimizer of the user's.
        check_unchanged(self, self._asked_of_fit)
        more = {"time_limit": time_limit, "n_trials": n_trials, "resume": True}
        settings = check_settings(SimpleNamespace(**self.get_params(deep=False) | more))
        work_dir = settings.work_dir
        if work_dir is None:
            raise InputError("fit_more needs the files of the search: give work_dir before fit")
        written = begun_search(settings)
        if written is None:
            raise InputError(f"work_dir {str(work_dir)!r} holds no search any more; call fit again")
        settings = replace(settings, seed=written.header.seed)
        settings = prolonged(settings, len(written.trials), self.optimizer)
        budget = Budget(
            seconds=written.seconds_used + settings.time_limit,
            n_trials=None if n_trials is None else len(written.trials) + n_trials,
            started_at=started_at - written.seconds_used,
        )
        known = prepare_again(work_dir, self._schema, self.classes_, self, settings)
        prepared = replace(known, changes=self._changes_of_table)
        for shortfall in self._search(prepared, settings, budget, written):
            warnings.warn(shortfall, DegradedResultWarning, stacklevel=2)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return class probabilities, one column for each of ``classes_``.

        Parameters
        ----------
        X : (n, d) array, DataFrame or sparse matrix
            Features as in ``fit``. Levels that were not there then are unknown levels.

        Returns
        -------
        (n, k) array
            Rows sum to one.
        """
        check_is_fitted(self, "ensemble_")
        return self.ensemble_.predict_proba(self._schema.transform(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the predicted label of each row, in the type of the labels of ``fit``.

        It is the most probable one; of two, the second one where its probability is above
        ``decision_threshold_``.

        Parameters
        ----------
        X : (n, d) array, DataFrame or sparse matrix
            Features as in ``fit``.
        """
        return self.labels_of(self.predict_proba(X))

    def labels_of(self, probabilities: FloatArray) -> npt.NDArray[Any]:
        """Return the labels (n,) that `predict` gives where `predict_proba` gives these (n, k)."""
        check_is_fitted(self, "ensemble_")
        labels: npt.NDArray[Any] = self.classes_[self.ensemble_.codes_of(probabilities)]
        return labels

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of `predict`, whatever `scoring` is.

        Parameters
        ----------
        X : (n, d) array, DataFrame or sparse matrix
            Features as in ``fit``.
        y : (n,) array or Series
            True labels, in any type that ``fit`` takes.
        sample_weight : (n,) array or None, default=None
            Weight of each row.
        """
        # Not inherited: scikit-learn knows no kind of target for, say, truth values as objects.
        labels = comparable_labels(y)
        weights = checked_sample_weight(sample_weight, len(labels))
        return float(accuracy_score(labels, self.predict(X), sample_weight=weights))

    def _search(
        self,
        prepared: Prepared,
        settings: Settings,
        budget: Budget,
        written: JournalContent | None,
    ) -> tuple[str, ...]:
        """Search, keep the result, and return in what it is less than what was asked for."""
        with (
            ended_by_signals(budget),
            work_folder(settings.work_dir, written) as folder,
            watch(settings, budget) as observers,
        ):
            result = fit_ensemble(
                prepared.data,
                settings,
                budget,
                folder,
                n_workers=worker_count(settings.n_jobs),
                observers=observers,
            )
        self._keep(prepared, result)
        self.was_interrupted_ = budget.is_interrupted
        return result.shortfalls

    def _forget(self) -> None:
        """Remove everything that an earlier fit left: one that fails must not look fitted."""
        for name in fitted_names(self):
            delattr(self, name)

    def _keep(self, prepared: Prepared, result: FitResult) -> None:
        self._schema = prepared.schema
        self.classes_ = prepared.classes
        self.n_features_in_ = prepared.schema.n_features_in
        if prepared.schema.feature_names_in is not None:
            self.feature_names_in_ = prepared.schema.feature_names_in
        self.validation_ = prepared.data.splits.description
        self._changes_of_table = prepared.changes
        self._asked_of_fit = asked_parameters(self)
        self.changes_: tuple[Change, ...] = (*prepared.changes, *result.changes)
        self.ensemble_ = result.ensemble
        self._best_member = result.best_member
        self.baseline_loss_ = prepared.data.baseline_loss
        self.best_loss_ = min((record.loss for record in result.records), default=float("inf"))
        self.best_score_ = float(prepared.data.metric.to_score(self.best_loss_))
        self.trials_: tuple[TrialRecord, ...] = result.records

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags
