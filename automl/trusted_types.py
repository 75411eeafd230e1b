"""The types that a model file may hold: ours, and what fitted pipelines are made of.

What is not here, or trusted by skops itself (estimators of scikit-learn, arrays, plain values), is
refused before any object is made. A function is listed only if calling it with anything at all
does no harm.
"""

from __future__ import annotations

_OF_FITTED_ESTIMATORS = (
    "automl.changes.Change",
    "automl.data.category_column.CategoryColumn",
    "automl.data.date_column.DateColumn",
    "automl.data.number_column.DurationColumn",
    "automl.data.number_column.NumberColumn",
    "automl.data.schema.Schema",
    "automl.data.text_column.TextColumn",
    "automl.ensembles.weighted_ensemble.Member",
    "automl.ensembles.weighted_ensemble.WeightedEnsemble",
    "automl.leaderboard.TrialRecord",
)

_CLASSIFIERS = (
    "search_space.balancers.BalancedClassifier",
    "search_space.classifiers.boosting.BoostedClassifier",
    "search_space.classifiers.contained.ContainedClassifier",
    "search_space.classifiers.decision_values.DecisionValueClassifier",
    "search_space.classifiers.early_stopping.EarlyStopping",
    "search_space.classifiers.early_stopping.FixedRounds",
    "search_space.classifiers.forests.columns_per_split",
    "search_space.classifiers.hist_gradient_boosting.HistGradientBoostingLearner",
    "search_space.classifiers.hist_gradient_boosting.HistGradientBoostingModel",
    "search_space.classifiers.lightgbm.LightGBMLearner",
    "search_space.classifiers.lightgbm.LightGBMModel",
    "search_space.classifiers.logistic_regression.OneVsRestClassifier",
    "search_space.classifiers.mlp.stopping",
    "search_space.classifiers.qda.smallest_variance",
    "search_space.classifiers.xgboost.XGBoostLearner",
    "search_space.classifiers.xgboost.XGBoostModel",
    "search_space.custom.CertainClassifier",
)

_TRANSFORMERS = (
    "search_space.columns.ByKind",
    "search_space.encoders.NativeCodes",
    "search_space.encoders.OrdinalCodes",
    "search_space.imputers.Imputer",
    "search_space.imputers.ZeroImputer",
    "search_space.rescalers.Rescaler",
    "search_space.transformers.column_selector.ColumnSelector",
    "search_space.transformers.cross_feature.BinaryProducts",
    "search_space.transformers.cross_feature._make",
    "search_space.transformers.extra_trees_based_selector._make",
    "search_space.transformers.fast_ica.IndependentComponents",
    "search_space.transformers.fast_ica._make",
    "search_space.transformers.feature_agglomeration._make",
    "search_space.transformers.kernel_pca.KernelComponents",
    "search_space.transformers.kernel_pca._make",
    "search_space.transformers.kitchen_sinks._make",
    "search_space.transformers.lda_decomposer.SeparatingDirections",
    "search_space.transformers.lda_decomposer._make",
    "search_space.transformers.liblinear_based_selector._make",
    "search_space.transformers.nystroem._make",
    "search_space.transformers.nystroem.without_negatives",
    "search_space.transformers.pca._make",
    "search_space.transformers.percentile_selector.mutual_information",
    "search_space.transformers.polynomial.ImportantProducts",
    "search_space.transformers.polynomial._make",
    "search_space.transformers.random_trees_embedding._make",
    "search_space.transformers.sized_operator.SizedOperator",
    "search_space.transformers.svd._make",
    "search_space.variance_filter.VarianceFilter",
)

_OF_OTHER_LIBRARIES = (
    "collections.OrderedDict",
    "functools.partial",
    "lightgbm.basic.Booster",
    "numpy.dtype",
    "numpy.max",
    "numpy.mean",
    "numpy.median",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.feature_selection._univariate_selection.chi2",
    "sklearn.feature_selection._univariate_selection.f_classif",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.metrics._dist_metrics.ManhattanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.tree._tree.Tree",
    "sklearn.utils.validation.check_array",
    "xgboost.core.Booster",
)

_SPLITTERS = (
    "sklearn.model_selection._split.GroupKFold",
    "sklearn.model_selection._split.GroupShuffleSplit",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.LeaveOneGroupOut",
    "sklearn.model_selection._split.LeaveOneOut",
    "sklearn.model_selection._split.LeavePGroupsOut",
    "sklearn.model_selection._split.LeavePOut",
    "sklearn.model_selection._split.PredefinedSplit",
    "sklearn.model_selection._split.RepeatedKFold",
    "sklearn.model_selection._split.RepeatedStratifiedKFold",
    "sklearn.model_selection._split.ShuffleSplit",
    "sklearn.model_selection._split.StratifiedGroupKFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.model_selection._split.StratifiedShuffleSplit",
    "sklearn.model_selection._split.TimeSeriesSplit",
)

TRUSTED_TYPES: tuple[str, ...] = (
    *_OF_FITTED_ESTIMATORS,
    *_CLASSIFIERS,
    *_TRANSFORMERS,
    *_OF_OTHER_LIBRARIES,
    *_SPLITTERS,
)
"""Full names, as skops writes them."""
