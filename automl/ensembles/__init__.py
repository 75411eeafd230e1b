"""Selecting, weighting and comparing models by their stored predictions."""
