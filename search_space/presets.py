"""Named search spaces.

``"default"`` is what this project recommends; ``"divbo"`` is the space published with DivBO [1]_,
as its code runs it [2]_; ``"fast"`` is for a quick first look.

References
----------
.. [1] Y. Shen et al. (2023). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS 2022,
   Tables 6 and 7. https://arxiv.org/abs/2302.03255
.. [2] Y. Li et al. (2021). VolcanoML. PVLDB 14. https://github.com/thomas-young-2013/mindware
.. [3] M. Feurer et al. (2015). Efficient and Robust Automated Machine Learning. NeurIPS.
"""

from __future__ import annotations

from dataclasses import dataclass

from search_space import balancers, encoders, imputers, rescalers
from search_space.classifiers import DEFAULT_CLASSIFIERS, FAST_CLASSIFIERS, PAPER_CLASSIFIERS
from search_space.classifiers.substitutions import CLASSIFIER_SUBSTITUTIONS
from search_space.component import Component, Stage
from search_space.transformers import PREPROCESSORS
from search_space.transformers.empty import COMPONENT as NO_PREPROCESSOR
from search_space.transformers.substitutions import TRANSFORMER_SUBSTITUTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A search space before it is cut to a task.

    Attributes
    ----------
    name : str
        What a user writes.
    components : tuple of Component
        What may fill the stages; the first component of each stage is its default.
    rescale_first : bool
        Whether rescalers run before preprocessors.
    slow_learners : tuple of str
        Learners for which many columns are hopeless, left out together with `wide_operators`.
    wide_operators : tuple of str
        Preprocessors that put out a kernel's features.
    empty_share : float or None
        Share of random configurations without a preprocessor; None draws all choices alike.
    """

    name: str
    components: tuple[Component, ...]
    rescale_first: bool
    slow_learners: tuple[str, ...] = ()
    wide_operators: tuple[str, ...] = ()
    empty_share: float | None = None

    def of(self, stage: Stage) -> tuple[Component, ...]:
        """Return the components of one stage, the default first."""
        return tuple(c for c in self.components if c.stage is stage)


_STANDARD_FIRST = (
    rescalers.STANDARD,
    *(c for c in rescalers.RESCALERS if c is not rescalers.STANDARD),
)

DIVBO = Preset(
    name="divbo",
    components=(
        *PAPER_CLASSIFIERS,
        *balancers.BALANCERS,
        *PREPROCESSORS,
        *rescalers.RESCALERS,
        imputers.FIXED_IMPUTER,
        encoders.ONE_HOT,
    ),
    rescale_first=False,
)

DEFAULT = Preset(
    name="default",
    components=(
        *DEFAULT_CLASSIFIERS,
        *balancers.BALANCERS,
        *PREPROCESSORS,
        *_STANDARD_FIRST,
        *imputers.IMPUTERS,
        *encoders.ENCODERS,
    ),
    rescale_first=True,
    # The pairs that auto-sklearn [3] forbids: a kernel's features are meant for linear models.
    slow_learners=(
        "adaboost",
        "decision_tree",
        "extra_trees",
        "gaussian_nb",
        "gradient_boosting",
        "hist_gradient_boosting",
        "k_nearest_neighbors",
        "libsvm_svc",
        "lightgbm",
        "mlp",
        "random_forest",
        "xgboost",
    ),
    wide_operators=("kernel_pca", "kitchen_sinks", "nystroem"),
    # Most operators help on few tables, and learners of today do well without one.
    empty_share=0.5,
)

FAST = Preset(
    name="fast",
    components=(
        *FAST_CLASSIFIERS,
        *balancers.BALANCERS,
        NO_PREPROCESSOR,
        *_STANDARD_FIRST,
        *imputers.IMPUTERS,
        *encoders.ENCODERS,
    ),
    rescale_first=True,
)

PRESETS = (DEFAULT, DIVBO, FAST)

PAPER_SUBSTITUTIONS = (*CLASSIFIER_SUBSTITUTIONS, *TRANSFORMER_SUBSTITUTIONS)
"""Where the preset "divbo" differs from what was published, and why."""
