"""Models that meet through their dreams (not in the paper): nodes learn apart, a hub learns what they dream.

| file | what it has |
|---|---|
| ``digits.py`` | MNIST over ten nodes, by digit or at random: merged by dreams, averaged, one model on all rows |
| ``ideas.py`` | ways to dream for others that were tried, on validation rows |
| ``machines.py`` | machines with faults: a model for each, one for all, merged; a new machine with a prior |
| ``membership.py`` | what a model file tells about the rows it learned, with and without a bound |
"""

from genreplay.experiments.fleet.digits import SPLITS, DigitsRun, digit_runs
from genreplay.experiments.fleet.ideas import IDEAS, WITHOUT_IDEAS, MergeIdeasRun, idea_runs
from genreplay.experiments.fleet.machines import MachinesRun, machine_runs
from genreplay.experiments.fleet.membership import LEARNERS, MembershipRun, membership_runs
from genreplay.experiments.run import Run

__all__ = [
    "IDEAS",
    "LEARNERS",
    "SPLITS",
    "WITHOUT_IDEAS",
    "DigitsRun",
    "MachinesRun",
    "MembershipRun",
    "MergeIdeasRun",
    "runs",
]


def runs(quick: bool = False) -> list[Run]:
    """All of them."""
    return [*machine_runs(quick), *digit_runs(quick), *idea_runs(quick), *membership_runs(quick)]
