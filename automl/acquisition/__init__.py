"""Scores of candidates, computed from what surrogates predict."""
