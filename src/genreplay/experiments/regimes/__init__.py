"""Regimes that return (not in the paper): how many alarms they raise, by what the detector rehearses.

The stream is that of ``genreplay.datasets.regimes``, drawn from the seed: three regimes come in turns, one of them
rarely, and then a new one comes to stay. A regime that returns is nothing new, and should raise few alarms. The one
that stays should raise alarms at first and become usual soon: a model that rehearses too much might not learn it.

The detector has its defaults; only what its model rehearses differs: nothing, its dreams, or as many stored rows.
"""

from genreplay.experiments.regimes.run import N_BLOCK, N_STAY, NOMINAL, REPLAYS, RegimesRun, runs

__all__ = ["NOMINAL", "N_BLOCK", "N_STAY", "REPLAYS", "RegimesRun", "runs"]
