"""Whether two texts are the same up to small differences of numbers, as another processor's rounding makes them."""

from __future__ import annotations

import math
import re

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
TOLERANCE = 0.05
"""relative; whole numbers must be equal"""


def alike(said: str, found: str) -> bool:
    """Compare what a page says with what was found.

    >>> alike("p 0.0190, 5,000 rows", "p 0.0191, 5,000 rows"), alike("5,000 rows", "5,001 rows"), alike("a 1", "b 1")
    (True, False, False)
    """
    if NUMBER.sub("#", said) != NUMBER.sub("#", found):
        return False
    return all(_close(one, other) for one, other in zip(NUMBER.findall(said), NUMBER.findall(found), strict=True))


def _close(said: str, found: str) -> bool:
    if said == found:
        return True
    is_whole = said.replace(",", "").lstrip("-").isdigit()
    one, other = float(said.replace(",", "")), float(found.replace(",", ""))
    return not is_whole and math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-6)
