"""Where the operators differ from the space published with DivBO, and why.

References
----------
.. [1] Y. Shen et al. (2023). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS 2022,
   Table 7. https://arxiv.org/abs/2302.03255
"""

from __future__ import annotations

from search_space.bounds import MOST_CELLS, MOST_LEVELS
from search_space.substitution import Substitution
from search_space.transformers.kernel_pca import MOST_ROWS

TRANSFORMER_SUBSTITUTIONS = (
    Substitution(
        "preprocessor:fast_ica:whiten",
        "True",
        "arbitrary-variance",
        "scikit-learn 1.3 renamed the value",
    ),
    Substitution(
        "preprocessor:fast_ica:whiten",
        "False on raw columns",
        "False on standardised columns; whitened where rows are not more than columns",
        "the unwhitened algorithm divides by 0 on large numbers and needs more rows than columns",
    ),
    Substitution(
        "preprocessor:feature_agglomeration:affinity",
        "affinity",
        "metric",
        "scikit-learn 1.4 renamed the argument",
    ),
    Substitution(
        "preprocessor:kernel_pca:n_components",
        "components of all training rows",
        f"components of at most {MOST_ROWS} random training rows",
        "time grows with the cube of the rows, memory with the square",
    ),
    Substitution(
        "preprocessor:kernel_pca:kernel",
        "sigmoid as it is",
        "sigmoid without directions of negative eigenvalue",
        "scikit-learn refuses kernels that are not positive semi-definite",
    ),
    Substitution(
        "preprocessor:cross_feature:random_state",
        "products of 200 columns",
        f"products of as many columns as give at most {MOST_CELLS} values",
        "19,900 products of 8,000 rows need 1.3 GB",
    ),
    Substitution(
        "preprocessor:random_trees_embedding:max_depth",
        "all leaves of that depth",
        f"as many leaves as give at most {MOST_CELLS} values",
        "100 trees of depth 10 may have 102,400 leaves",
    ),
    Substitution(
        "preprocessor:extra_trees_based_selector:max_features",
        "[0, 1] in steps of 0.05",
        "21 ordered values",
        "ConfigSpace 1.0 removed quantised ranges",
    ),
    Substitution(
        "preprocessor:liblinear_based_selector:loss",
        "{hinge, squared_hinge}",
        "squared_hinge",
        "the l1 penalty, which is fixed, does not go with the hinge loss",
    ),
    Substitution(
        "rescaler:robust:q_min",
        "[0.001, 0.3] percent",
        "[0.001, 0.3] of all rows",
        "scikit-learn expects percent, for which a range below 1 was not meant",
    ),
    Substitution(
        "rescaler:robust:q_max",
        "[0.7, 0.999] percent",
        "[0.7, 0.999] of all rows",
        "scikit-learn expects percent, for which a range below 1 was not meant",
    ),
    Substitution(
        "preprocessor:percentile_selector:score_func",
        "chi2 sets negative values to 0",
        "chi2 sets negative values to 0 for the score only",
        "the learner can use them",
    ),
    Substitution(
        "preprocessor:generic_univariate_selector:score_func",
        "chi2 sets negative values to 0",
        "chi2 sets negative values to 0 for the score only",
        "the learner can use them",
    ),
    Substitution(
        "balancer:weighting",
        "weights for AdaBoost, forests and support vector machines",
        "weights for every learner that takes them, no choice for the others",
        "a choice without effect costs trials",
    ),
    Substitution(
        "encoder:one_hot",
        "missing categories become the most frequent one; a column for each level",
        f"missing is a level; at most {MOST_LEVELS} columns, the rarest levels share one",
        "columns of thousands of levels need more memory than there is",
    ),
    Substitution(
        "encoder:one_hot",
        "columns of nearly as many levels as rows are dropped",
        "they are kept and pooled",
        "what is dropped is decided once, where the table is read",
    ),
)
