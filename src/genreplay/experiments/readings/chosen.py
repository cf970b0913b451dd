"""Which readings went on from one stage of the search to the next, as the rules of ``judged.py`` chose them."""

from __future__ import annotations

from genreplay.experiments.readings.reading import Reading

STARTS: tuple[Reading, ...] = (
    Reading(step="mini-batches of 100", negative="samples", start="weights 0.05", decay="weights"),
    Reading(
        step="mini-batches of 100",
        momentum="anew in every update",
        positive="samples",
        start="weights 0.05",
        decay="weights",
    ),
    Reading(
        step="mini-batches of 100",
        momentum="anew in every update",
        positive="samples",
        start="weights 0.01",
        decay="weights",
    ),
    Reading(step="all rows, divided by n_B", dreams="probabilities", start="weights 0.05", decay="weights"),
    Reading(
        step="all rows, divided by n_B",
        low_momentum="of every update",
        dreams="probabilities",
        start="weights 0.1",
        decay="weights",
    ),
)
"""whose neighbours are tried on the small sets, too: the nearest of those drawn, and the one of those that have a name
that is nearest on all sets"""
# fmt: off
LONGER: tuple[int, ...] = (
    1387, 1383, 1386, 1577, 1557, 1575, 1576, 767, 1579, 1667, 1571, 1573, 1450, 1454, 1574, 1499, 1447, 766,
    1369, 1665, 797, 1537, 912, 1619, 918, 1477, 1664, 898, 1832, 1407, 1367, 1497, 1536, 1389, 1178, 798, 1960,
    687, 1747, 1789, 1449, 1029, 1159, 1109, 1108, 1519, 0, 1119, 1857, 1107, 1129, 1799, 1139, 429, 689, 1105,
    1103, 1279, 769, 1101,
)
# fmt: on
"""on longer streams, too: the nearest on the small sets, those that have a name, and the neighbours of the last of
``STARTS``; numbers in ``everything()``"""
FINALISTS: tuple[Reading, ...] = (
    Reading(step="mini-batches of 100", negative="samples", start="weights 0.05", decay="weights"),
    Reading(step="mini-batches of 100", negative="samples", start="all 0.1", decay="weights"),
    Reading(
        step="mini-batches of 100", dreams="probabilities", positive="samples", start="weights 0.1", decay="weights"
    ),
    Reading(
        step="mini-batches of 100",
        low_momentum="of every update",
        dreams="probabilities",
        start="weights 0.1",
        decay="weights",
    ),
    Reading(step="mini-batches of 100", dreams="probabilities", start="weights 0.1", decay="weights"),
    Reading(
        step="all rows, divided by n_B",
        low_momentum="of every update",
        dreams="probabilities",
        start="weights 0.1",
        decay="weights",
    ),
    Reading(
        step="mini-batches of 100",
        dreams="probabilities",
        positive="samples",
        negative="samples",
        start="weights 0.1",
        decay="weights",
    ),
    Reading(),
    Reading(
        step="mini-batches of 100",
        low_momentum="of every update",
        dreams="probabilities",
        positive="samples",
        negative="samples",
        start="weights 0.05",
        decay="weights",
    ),
    Reading(
        step="mini-batches of 100",
        low_momentum="of every update",
        dreams="probabilities",
        inference="mean-field",
        start="weights 0.1",
        decay="weights",
    ),
    Reading(step="all rows, divided by n_B", start="weights 0.1", decay="weights"),
)
"""on all sets: the nearest of these, and those that have a name"""
NEAREST: tuple[Reading, ...] = ()
"""with all seeds, also in sorted order and with more steps: the nearest of these"""
