"""Worker slots that run evaluations at the same time."""
