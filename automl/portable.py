"""What a fitted estimator leaves behind: a file, or plain scikit-learn objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self, cast

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from automl.data.label_types import Labels
from automl.data.schema import Schema
from automl.ensembles.weighted_ensemble import Member, WeightedEnsemble
from automl.export.pipelines import plain_ensemble, plain_member
from automl.model_state import Trusted, load_state, save_state


class Portable:
    """Adds saving, loading and the export to an estimator that is fitted like `AutoClassifier`."""

    ensemble_: WeightedEnsemble
    classes_: Labels
    _schema: Schema
    _best_member: Member | None

    def save(self, path: str | Path) -> None:
        """Write the fitted estimator to one file, which any machine can load.

        The file holds no path and no code. What cannot be in it, such as callbacks, an optimizer
        object or a lambda as `scoring`, is named in a warning and left out; predictions do not
        need it. `work_dir` is never in it.

        Parameters
        ----------
        path : str or Path
            Where to; a file that is there is replaced, at once or not at all.

        Raises
        ------
        NotFittedError
            If it is not fitted.
        ValueError
            If a member cannot be written, or the file cannot.
        """
        check_is_fitted(self, "ensemble_")
        save_state(path, cast(Any, self))  # whoever mixes this in has parameters

    @classmethod
    def load(cls, path: str | Path, *, trusted: Trusted = ()) -> Self:
        """Read an estimator that ``save`` or the command line wrote.

        Only objects of known types are made, and no code of the file is run. A doctored file may
        still crash the process that predicts: trees of scikit-learn are checked, but LightGBM,
        XGBoost, nearest neighbours and kernel SVMs take the numbers of a model as they are.

        Parameters
        ----------
        path : str or Path
            The file.
        trusted : sequence of str or type
            Types that it may hold beside ours and those of scikit-learn, LightGBM and XGBoost:
            your own learners, say.

        Raises
        ------
        ValueError
            If it cannot be read, is damaged or no model file, or holds types that are not trusted;
            the message lists them.
        """
        state = load_state(path, trusted)
        estimator = cls()
        state.apply_to(estimator)
        return estimator

    def to_sklearn(self) -> Pipeline:
        """Return the ensemble as a fitted pipeline that predicts without this library.

        It is made of classes of scikit-learn, LightGBM, XGBoost, NumPy and pandas alone, takes the
        same tables and gives the same labels, and the same probabilities up to 1e-6: a DataFrame
        where the table of ``fit`` had column names that are text, else an array. It cannot be
        fitted again, and checks and converts a table less than this estimator does.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If a column is free text, or a member was fitted to rows without some of the classes:
            scikit-learn has nothing that does the same.
        """
        check_is_fitted(self, "ensemble_")
        return plain_ensemble(self._schema, self.ensemble_, self.classes_)

    @property
    def best_pipeline_(self) -> Pipeline:
        """The pipeline of the trial with the lowest loss, as ``to_sklearn`` gives the ensemble.

        Its steps are the columns, those of the trial's pipeline, and the classifier. A file that
        ``save`` wrote holds the members of the ensemble only: loaded from there, an AttributeError
        tells if the best trial is none of them.
        """
        check_is_fitted(self, "ensemble_")
        if self._best_member is None:
            raise AttributeError(
                "best_pipeline_ is not there: no trial succeeded, or the best one is no member of "
                "an ensemble that was saved; fit with ensemble_size=1, or take to_sklearn()"
            )
        return plain_member(self._schema, self._best_member, self.classes_)
