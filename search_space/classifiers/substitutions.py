"""Where the learners differ from the space published with DivBO, and why.

References
----------
.. [1] Y. Shen et al. (2023). DivBO: Diversity-aware CASH for Ensemble Learning. NeurIPS 2022,
   Table 6. https://arxiv.org/abs/2302.03255
.. [2] MindWare, models for classification: the ranges of that table.
   https://github.com/thomas-young-2013/mindware
"""

from __future__ import annotations

from search_space.substitution import Substitution

CLASSIFIER_SUBSTITUTIONS = (
    Substitution(
        "classifier:adaboost:algorithm",
        "SAMME.R or SAMME",
        "SAMME",
        "scikit-learn 1.6 removed SAMME.R",
    ),
    Substitution(
        "classifier:gradient_boosting:criterion",
        "friedman_mse or mse",
        "squared_error",
        "scikit-learn 1.9 has one criterion left and deprecates the argument",
    ),
    Substitution(
        "classifier:k_nearest_neighbors:n_neighbors",
        "[1, 100]",
        "[1, 100], at most the training rows",
        "scikit-learn refuses more neighbours than rows",
    ),
    Substitution(
        "classifier:k_nearest_neighbors:p",
        "two hyperparameters in the table, three in the code",
        "1 or 2",
        "the code is what ran, and with p there are the 100 hyperparameters that the text names",
    ),
    Substitution(
        "classifier:lda:n_components",
        "[1, 250]",
        "[1, min(columns, classes - 1)], without effect",
        "scikit-learn refuses more; predictions do not depend on it, so it is not handed on",
    ),
    Substitution(
        "classifier:lda",
        "softmax of the class probabilities",
        "class probabilities",
        "a second softmax squeezes two classes into [0.27, 0.73]",
    ),
    Substitution(
        "classifier:qda",
        "softmax of the class probabilities",
        "class probabilities",
        "a second softmax squeezes two classes into [0.27, 0.73]",
    ),
    Substitution(
        "classifier:qda:reg_param",
        "fails if a variance is not above 0",
        "fails if a variance is not above the rounding error of the data",
        "rounding turns a variance of 0 into a small positive number",
    ),
    Substitution(
        "classifier:logistic_regression:penalty",
        "l1 or l2 as penalty",
        "l1 or l2 as l1_ratio 1 or 0",
        "scikit-learn 1.8 deprecates the argument",
    ),
    Substitution(
        "classifier:logistic_regression:solver",
        "multi_class=ovr",
        "one model per class of our own",
        "scikit-learn has no such argument any more, and its own wrapper takes no weights",
    ),
    Substitution(
        "classifier:liblinear_svc",
        "two classes: probabilities rounded to 0 below 1e-7 and to 1 above 0.999999",
        "probabilities in [2e-9, 1 - 2e-9]",
        "one certain mistake makes the log loss infinite",
    ),
    Substitution(
        "classifier:libsvm_svc",
        "two classes: probabilities rounded to 0 below 1e-7 and to 1 above 0.999999",
        "probabilities in [2e-9, 1 - 2e-9]",
        "one certain mistake makes the log loss infinite",
    ),
    Substitution(
        "classifier:lightgbm:n_estimators",
        "[100, 1000] in steps of 50",
        "ordered values 100, 150, ..., 1000",
        "ConfigSpace has no steps",
    ),
    Substitution(
        "classifier:lightgbm:subsample",
        "[0.7, 1] in steps of 0.1, without effect",
        "ordered values 0.7, 0.8, 0.9, 1, drawn anew in every round",
        "LightGBM ignores the share of rows unless a frequency is set",
    ),
    Substitution(
        "classifier:lightgbm:colsample_bytree",
        "[0.7, 1] in steps of 0.1",
        "ordered values 0.7, 0.8, 0.9, 1",
        "ConfigSpace has no steps",
    ),
)
