"""Threads of OpenMP and BLAS in a supervisor and in the calls it forks.

A process must not fork while it has threads. OpenMP starts its threads with the first parallel
region, OpenBLAS when it is loaded: so a supervisor loads it for one thread, and calls that may
have more ask for them after the fork.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from threadpoolctl import threadpool_limits

_OPENMP: Final = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "LOKY_MAX_CPU_COUNT")
_BLAS: Final = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def supervisor_environment(environment: Mapping[str, str], n_threads: int) -> dict[str, str]:
    """Return an environment in which modules load without starting threads.

    Examples
    --------
    >>> ours = supervisor_environment({"HOME": "/root", "OMP_NUM_THREADS": "64"}, 2)
    >>> ours["HOME"], ours["OMP_NUM_THREADS"], ours["OPENBLAS_NUM_THREADS"]
    ('/root', '2', '1')
    """
    ours = dict(environment)
    ours.update(dict.fromkeys(_OPENMP, str(n_threads)))
    ours.update(dict.fromkeys(_BLAS, "1"))
    # Threads that wait for one another in a loop bring a busy machine to a standstill.
    ours.setdefault("OMP_WAIT_POLICY", "passive")
    ours.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")  # allocator of pyarrow
    return ours


def allow_threads(n_threads: int) -> None:
    """Let BLAS use several threads in this process, whether or not it is loaded already."""
    if n_threads > 1:
        os.environ.update(dict.fromkeys(_BLAS, str(n_threads)))
        threadpool_limits(n_threads, user_api="blas")
