"""Fitted estimators as objects of scikit-learn, LightGBM and XGBoost alone.

Each is made of public classes, fitted to a stand-in of two rows where they insist, and then given
what was learnt. Nothing in them can be fitted again.
"""
