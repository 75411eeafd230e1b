"""How long a command of the study will take, from what it has done so far."""

from __future__ import annotations


def minutes_left(seconds: float, n_new: int, n_missing: int) -> str:
    """Return minutes in words, a question mark as long as nobody knows.

    Parameters
    ----------
    seconds : float
        That were used so far.
    n_new : int
        What was done in them; what was there before takes no time and does not count.
    n_missing : int
        What had to be done at first.

    Examples
    --------
    >>> minutes_left(60.0, 20, 100), minutes_left(60.0, 0, 100), minutes_left(60.0, 0, 0)
    ('4', '?', '0')
    """
    left = max(0, n_missing - n_new)
    if left == 0:
        return "0"
    return f"{seconds / n_new * left / 60.0:.0f}" if n_new else "?"
