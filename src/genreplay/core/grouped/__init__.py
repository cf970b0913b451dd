"""A model of a table: an RBM with one group of visible units for each column.

| file | what it has |
|---|---|
| ``model.py`` | the RBM: exact probabilities of a cell given the others, dreams, filling |
| ``learner.py`` | ``TableRBM``, the settings; how a batch is learned |
| ``rehearsal.py`` | what is rehearsed: ``Dreams``, ``Stored`` rows, ``Nothing`` |
"""

from genreplay.core.grouped.learner import State, TableRBM, start, update
from genreplay.core.grouped.model import GroupedRBM
from genreplay.core.grouped.rehearsal import Dreams, Nothing, Rehearsed, Stored

__all__ = ["Dreams", "GroupedRBM", "Nothing", "Rehearsed", "State", "Stored", "TableRBM", "start", "update"]
