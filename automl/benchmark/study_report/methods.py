"""The methods of the study: a search, and what is made of its trials afterwards.

References
----------
.. [1] Y. Shen, Y. Lu, Y. Li, Y. Tu, W. Zhang, B. Cui (2022). DivBO: Diversity-aware CASH for
   Ensemble Learning. NeurIPS: section 4.1.
"""

from __future__ import annotations

from types import MappingProxyType

# Name in the paper -> search, design; in the order of the paper's table 1. The paper does not say
# of which trials NES's ensemble is made: here it is selected from all, with replacement.
PAPER_METHODS = MappingProxyType(
    {
        "RS": ("rs", "single"),
        "BO": ("bo", "single"),
        "RB": ("rb", "single"),
        "EO": ("eo", "own"),
        "NES": ("nes", "es_25"),
        "RS-ES": ("rs", "es_25"),
        "BO-ES": ("bo", "es_25"),
        "RB-ES": ("rb", "es_25"),
        "DivBO-": ("divbo", "single"),
        "DivBO": ("divbo", "es_25"),
    }
)
PAPER_SEARCHES = tuple(dict.fromkeys(search for search, _ in PAPER_METHODS.values()))
TABLE_1_METHODS = tuple(name for name in PAPER_METHODS if name != "DivBO-")
POST_HOC_METHODS = ("RS-ES", "BO-ES", "RB-ES", "DivBO")

_NAMES = {pair: name for name, pair in PAPER_METHODS.items()}


def method_name(search: str, design: str) -> str:
    """Return the paper's name of a search with a design, or both joined by a slash.

    Examples
    --------
    >>> method_name("divbo", "es_25"), method_name("kbo", "es_25")
    ('DivBO', 'kbo/es_25')
    """
    return _NAMES.get((search, design), f"{search}/{design}")


def search_name(search: str) -> str:
    """Return the paper's name of a search with an ensemble selected afterwards, or its own.

    EO has an ensemble of its own, which is not the selected one.

    Examples
    --------
    >>> search_name("rb"), search_name("eo"), search_name("kbo")
    ('RB-ES', 'eo', 'kbo')
    """
    return _NAMES.get((search, "es_25"), search)
