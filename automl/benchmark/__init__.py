"""Bundled tables, comparisons and measurements of overhead; used by the scripts in ``bin/``."""
