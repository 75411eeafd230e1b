"""From a trial to its outcome: fitting, predicting, and the limits around both."""
