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
LONGER: tuple[int, ...] = ()
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
