"""A recipe names one ingredient for each place of Algorithm 1. PAPER and MODERN are two of them."""

from __future__ import annotations

from dataclasses import dataclass

from genreplay.core.averaging import NoAverage, RecentAverage
from genreplay.core.contrastive import Centred, FromRows, FromRowsAndChains, NegativePhase, Uncentred
from genreplay.core.ingredient import MOST_PASSES, Ingredient, require, require_count
from genreplay.core.rehearsal import AllRows, EveryUpdate, NewRows, OnDrift, Rehearsal
from genreplay.core.replay import DreamPool, GenerativeReplay, Replay
from genreplay.core.schedules import EqualTime, Falling, LowAtFirst, Number, is_number_or_schedule
from genreplay.core.start import BaseRateStart, RandomStart
from genreplay.core.steps import AllDecay, WholeUnion


@dataclass(frozen=True, repr=False, kw_only=True)
class Recipe(Ingredient):
    """How to learn: what stands in each place of Algorithm 1. The defaults are the paper's (section 4).

    A recipe is a frozen value. ``replace`` gives a changed copy, and two underscores reach nested settings.

    >>> PAPER.replace(n_cd=3)
    Recipe(n_cd=3)
    >>> MODERN.replace(learning_rate__last=0.02).learning_rate
    Falling(first=0.06, last=0.02, n_warm_up=6)
    """

    start: RandomStart = RandomStart()
    """how Theta starts (line 3)"""
    replay: Replay = GenerativeReplay()
    """what is rehearsed (lines 14-22)"""
    rehearsal: Rehearsal = EveryUpdate()
    """how many rows of it, n_Bhat"""
    n_epochs: Number = 10
    """n_E, steps on the same batch (line 26)"""
    n_cd: int = 1
    """n_CD, Gibbs steps of the negative phase (line 32)"""
    negative: NegativePhase = FromRows()
    """where the negative phase starts (lines 32-37)"""
    centring: Uncentred = Uncentred()
    """whether units are counted from their means (Eq. 5)"""
    divisor: AllRows = AllRows()
    """the rows that line 39 divides by"""
    steps: WholeUnion = WholeUnion()
    """what a step takes of the rows (line 28)"""
    learning_rate: Number = 0.05
    """alpha (line 39)"""
    momentum: Number = LowAtFirst()
    """rho (line 39)"""
    weight_decay: Number = 0.0002
    """xi (line 39)"""
    decays: AllDecay = AllDecay()
    """which parameters it acts on"""
    averaging: NoAverage = NoAverage()
    """which parameters score and dream at the faces"""

    def __post_init__(self) -> None:
        kinds: dict[str, type[Ingredient]] = {
            "start": RandomStart,
            "replay": Replay,
            "rehearsal": Rehearsal,
            "negative": NegativePhase,
            "centring": Uncentred,
            "divisor": AllRows,
            "steps": WholeUnion,
            "decays": AllDecay,
            "averaging": NoAverage,
        }
        for name, kind in kinds.items():
            value = getattr(self, name)
            if isinstance(value, type) and issubclass(value, kind):
                raise ValueError(f"The {name!r} ingredient must be an object, not a class: write {value.__name__}().")
            known = ", ".join(f"{each.__name__}()" for each in _concrete(kind))
            require(self, name, f"an ingredient such as {known}", isinstance(value, kind))
        require_count(self, "n_cd", MOST_PASSES)
        holds = is_number_or_schedule(self.n_epochs, above=0, most=MOST_PASSES)
        require(self, "n_epochs", f"a positive number, up to {MOST_PASSES:,}, or a Schedule", holds)
        holds = is_number_or_schedule(self.learning_rate, above=0)
        require(self, "learning_rate", "a positive number or a Schedule", holds)
        for name in ("momentum", "weight_decay"):
            value = getattr(self, name)
            holds = is_number_or_schedule(value, above=0) or value == 0
            require(self, name, "a number, 0 or more, or a Schedule", holds)
        if isinstance(self.momentum, float | int):
            require(self, "momentum", "less than 1", self.momentum < 1)
        if self.replay.needs_chains and self.negative.n_chains == 0:
            raise ValueError(
                f"{type(self.replay).__name__} rehearses states of persistent chains: set negative to FromChains() or "
                "FromRowsAndChains(), or replay to GenerativeReplay()."
            )


def _concrete(kind: type[Ingredient]) -> list[type[Ingredient]]:
    return [each for each in Ingredient.classes.values() if issubclass(each, kind) and "__init__" in vars(each)]


PAPER = Recipe()
"""the paper's settings, and its protocol where the paper leaves a choice"""

MODERN = Recipe(
    # Visible biases start at the base rates: the first updates need not find them.
    start=BaseRateStart(),
    # Dreams are kept for a while, the longer the older the stream, and rehearsed only as far as the stream drifts.
    replay=DreamPool(),
    rehearsal=OnDrift(),
    # A new row counts as much beside dreams as without.
    divisor=NewRows(),
    # A short stream has few updates to learn in. Many small steps rather than a few large ones, which leave the chains
    # behind and end in modes that no row is near. What dreams cost in time is saved on epochs.
    n_epochs=EqualTime(Falling(first=80, last=10, n_first=20), at_least=8),
    # In a long stream, what the newest rows teach is mostly noise. The warm-up avoids overfitting the first batches.
    learning_rate=Falling(first=0.06, last=0.01, n_first=100, n_warm_up=6),
    # Much momentum carries the model away from its chains.
    momentum=0.5,
    # Chains find modes that no row is near; reconstructions damp the oscillations of a fast model.
    negative=FromRowsAndChains(n_chains=150),
    # Weights learn correlations and leave to the biases how often a unit is on.
    centring=Centred(),
    # Averages out the noise of the newest batches.
    averaging=RecentAverage(keep=0.97),
)
"""a recipe that fits better and stores nothing either; chosen on validation rows"""

RECIPES = {"paper": PAPER, "modern": MODERN}
"""the recipes that can be asked for by name"""
