"""Runs the command line as ``python -m automl``."""

from __future__ import annotations

from automl.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
