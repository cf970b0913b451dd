"""Which readings went on from one stage of the search to the next: ``tools/choose_readings.py`` writes them here."""

from __future__ import annotations

from genreplay.experiments.readings.reading import Reading, everything


def numbered(*numbers: int) -> tuple[Reading, ...]:
    """Readings by their places in ``everything()``.

    >>> numbered(0) == (Reading(),)
    True
    """
    every = everything()
    return tuple(every[number] for number in numbers)


# fmt: off
STARTS = numbered(
    1387, 1577, 1575, 767, 1109,
)
"""whose neighbours are tried on the small sets, too: the nearest of those drawn, and the one of those that have a name
that is nearest on all sets"""
LONGER = numbered(
    1387, 1383, 1386, 1577, 1557, 1575, 1576, 767, 1579, 1667, 1571, 1573, 1450, 1454, 1574, 1499, 1447, 766,
    1369, 1665, 797, 1537, 912, 1619, 918, 1477, 1664, 898, 1832, 1407, 1367, 1497, 1536, 1389, 1178, 798, 1960,
    687, 1747, 1789, 1449, 1029, 1159, 1109, 1108, 1519, 0, 1119, 1857, 1107, 1129, 1799, 1139, 429, 689, 1105,
    1103, 1279, 769, 1101,
)
"""on longer streams, too: the nearest on the small sets, those that have a name, and the neighbours of the last of
``STARTS``"""
FINALISTS = numbered(
    1619, 1537, 1536, 1447, 767, 1367, 766, 1369, 1119, 1029, 1449, 1960, 1109, 0, 1789, 689, 1799, 1499, 1857,
    1519, 1387, 1383,
)
"""on all sets: the nearest of these, and those that have a name"""
NEAREST = numbered(
    1449, 1619, 767, 1109, 1029, 766, 1536, 1789, 1537, 0, 1447, 1369,
)
"""with all seeds, also in sorted order and with more steps: the nearest of these"""
