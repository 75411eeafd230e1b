"""Which rules the optimisers go by: what tells runs before a change of one from those after it."""

from __future__ import annotations

RULES = 3
"""Raised with every change of what an optimiser proposes for the same history, space and seed.

Benchmarks keep it with their runs and go on with those of the same rules only: the version of the
package changes with releases, the rules in between too. 2: DivBO's pool has the members of all
rounds, and candidates of a finite space are the untried ones. 3: every fifth proposal of searches
over learners is left to chance.
"""
