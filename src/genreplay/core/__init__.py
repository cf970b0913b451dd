"""The method itself: functions on small tuples of arrays, the random generator passed in; what is changed says so.

Needs NumPy, and safetensors for files; uses Numba for speed where it is installed; nothing else.
"""

from genreplay.core import checkpoint, contrastive, kernels, online, partition, rbm, replay
from genreplay.core.averaging import NoAverage, RecentAverage
from genreplay.core.bounded import BoundedRows
from genreplay.core.checkpoint import CheckpointError
from genreplay.core.contrastive import Centred, FromChains, FromRows, FromRowsAndChains, MeanField, Uncentred
from genreplay.core.grouped import Dreams, Nothing, Stored, TableRBM
from genreplay.core.online import DivergenceError
from genreplay.core.partition import LogPartition
from genreplay.core.rbm import RBM
from genreplay.core.recipe import MODERN, PAPER, RECIPES, Recipe
from genreplay.core.rehearsal import AllRows, EveryUpdate, NewRows, OnDrift
from genreplay.core.replay import DreamPool, GenerativeReplay, MemoryReplay, NoReplay, Replay
from genreplay.core.schedules import Clock, EqualTime, Falling, LowAtFirst, NotCarried, Schedule
from genreplay.core.start import BaseRateStart, RandomStart, RandomWeights
from genreplay.core.state import Info, State
from genreplay.core.steps import AllDecay, MiniBatches, WeightsDecay, WholeUnion

__all__ = [
    "MODERN",
    "PAPER",
    "RBM",
    "RECIPES",
    "AllDecay",
    "AllRows",
    "BaseRateStart",
    "BoundedRows",
    "Centred",
    "CheckpointError",
    "Clock",
    "DivergenceError",
    "DreamPool",
    "Dreams",
    "EqualTime",
    "EveryUpdate",
    "Falling",
    "FromChains",
    "FromRows",
    "FromRowsAndChains",
    "GenerativeReplay",
    "Info",
    "LogPartition",
    "LowAtFirst",
    "MeanField",
    "MemoryReplay",
    "MiniBatches",
    "NewRows",
    "NoAverage",
    "NoReplay",
    "NotCarried",
    "Nothing",
    "OnDrift",
    "RandomStart",
    "RandomWeights",
    "RecentAverage",
    "Recipe",
    "Replay",
    "Schedule",
    "State",
    "Stored",
    "TableRBM",
    "Uncentred",
    "WeightsDecay",
    "WholeUnion",
    "checkpoint",
    "contrastive",
    "kernels",
    "online",
    "partition",
    "rbm",
    "replay",
]
