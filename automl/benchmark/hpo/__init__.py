"""Problems of hyperparameter optimisation whose evaluations cost next to nothing."""
