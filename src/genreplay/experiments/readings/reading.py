"""A reading of the paper: one answer to each question that Algorithm 1 and section 4 leave open."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

import numpy as np

from genreplay.core import (
    PAPER,
    AllDecay,
    AllRows,
    FromRows,
    GenerativeReplay,
    LowAtFirst,
    MeanField,
    MiniBatches,
    NewRows,
    NotCarried,
    RandomStart,
    RandomWeights,
    Recipe,
    WeightsDecay,
    WholeUnion,
)
from genreplay.experiments.paper.online import strategy

CHOICES: dict[str, tuple[str, ...]] = {
    "step": ("all rows", "all rows, divided by n_B", "mini-batches of 100"),
    "low_momentum": ("of the stream", "of every update"),
    "momentum": ("carried on", "anew in every update"),
    "dreams": ("samples", "probabilities"),
    "positive": ("probabilities", "samples"),
    "negative": ("probabilities", "samples"),
    "reconstruction": ("probabilities", "samples"),
    "inference": ("sampled", "mean-field"),
    "start": ("all 0.01", "all 0.1", "weights 0.01", "weights 0.05", "weights 0.1"),
    "decay": ("all", "weights"),
}
"""the questions and their answers; the first of each is what ``recipe="paper"`` has"""
QUESTIONS = {
    "step": "What does a step of line 39 take, and what is it divided by?",
    "low_momentum": "Where is the momentum 0.5 in the first 5 epochs?",
    "momentum": "Does the first step of an update go on with the momentum of the update before?",
    "dreams": "What does the visible layer of a dream hold (line 18)?",
    "positive": "What does the hidden layer of the positive statistics hold (line 29)?",
    "negative": "What does the hidden layer of the negative statistics hold (line 35)?",
    "reconstruction": "What does the last visible layer hold (line 34)?",
    "inference": "Are states drawn inside the chain, or is it mean-field (\u201cInfer P\u201d, lines 29 to 35)?",
    "start": "What is drawn from N(0, sigma), and what is sigma (line 3)?",
    "decay": "What does the decay act on (line 39)?",
}


@dataclass(frozen=True)
class Reading:
    """The answers; by default those of ``recipe="paper"``.

    >>> Reading(step="mini-batches of 100").recipe("OCD_GR")
    Recipe(steps=MiniBatches())
    """

    step: str = "all rows"
    low_momentum: str = "of the stream"
    momentum: str = "carried on"
    dreams: str = "samples"
    positive: str = "probabilities"
    negative: str = "probabilities"
    reconstruction: str = "probabilities"
    inference: str = "sampled"
    start: str = "all 0.01"
    decay: str = "all"

    def recipe(self, method: str) -> Recipe:
        """The recipe of a method of section 4.2 under this reading."""
        replay = strategy(method)
        if isinstance(replay, GenerativeReplay):
            replay = replay.replace(visible=self.dreams)
        low = LowAtFirst(of="stream" if self.low_momentum == "of the stream" else "update")
        statistics: Any = (self.reconstruction, self.positive, self.negative)
        kind, sigma = self.start.split()
        return PAPER.replace(
            replay=replay,
            steps=MiniBatches() if self.step == "mini-batches of 100" else WholeUnion(),
            divisor=NewRows() if self.step == "all rows, divided by n_B" else AllRows(),
            momentum=low if self.momentum == "carried on" else NotCarried(low),
            negative=MeanField() if self.inference == "mean-field" else FromRows(*statistics),
            start=(RandomStart if kind == "all" else RandomWeights)(float(sigma)),
            decays=AllDecay() if self.decay == "all" else WeightsDecay(),
        )

    @property
    def answers(self) -> dict[str, str]:
        """The answer to each question."""
        return {name: getattr(self, name) for name in CHOICES}

    @property
    def makes_sense(self) -> bool:
        """Mean-field inference has no samples."""
        sampled = "samples" in (self.dreams, self.positive, self.negative, self.reconstruction)
        return not (self.inference == "mean-field" and sampled)

    @property
    def title(self) -> str:
        """The answers that differ from those of ``recipe="paper"``."""
        changed = [
            f"{name.replace('_', ' ')} {value}" for name, value in self.answers.items() if value != CHOICES[name][0]
        ]
        return "; ".join(changed) or "recipe paper"


def reading_of(run: Reading) -> Reading:
    """The reading of a run, which has further settings.

    >>> reading_of(Reading(decay="weights"))
    Reading(..., decay='weights')
    """
    return Reading(**{each.name: getattr(run, each.name) for each in fields(Reading)})


C = Reading(
    step="mini-batches of 100",
    low_momentum="of every update",
    dreams="probabilities",
    start="weights 0.1",
    decay="weights",
)
"""found early to give all three of the paper's figures for MNIST"""
NAMED = {
    "paper": Reading(),
    "C": C,
    "D": replace(C, step="all rows, divided by n_B"),
    "A": replace(C, low_momentum="of the stream", positive="samples"),
    "A, samples in both": replace(C, low_momentum="of the stream", positive="samples", negative="samples"),
    "A, probabilities in both": replace(C, low_momentum="of the stream"),
    "B": replace(C, step="all rows, divided by n_B", low_momentum="of the stream", dreams="samples"),
    "mean-field": replace(C, inference="mean-field"),
    "author": replace(C, positive="samples", negative="samples", start="weights 0.05"),
}
"""readings that were looked at before the search; the last is what later code of the first author does"""


def everything() -> list[Reading]:
    """Every reading that makes sense.

    >>> len(everything()), Reading() in everything()
    (2040, True)
    """
    every = [Reading(*answers) for answers in product(*CHOICES.values())]
    return [reading for reading in every if reading.makes_sense]


def neighbours(reading: Reading) -> list[Reading]:
    """The readings that make sense and differ in one answer.

    >>> len(neighbours(Reading())), Reading(decay="weights") in neighbours(Reading())
    (13, True)
    """
    others = [replace(reading, **{name: answer}) for name, answers in CHOICES.items() for answer in answers]
    return [other for other in others if other != reading and other.makes_sense]


def drawn(n_readings: int) -> list[Reading]:
    """The named readings, and others drawn at random from all that make sense, always the same ones.

    >>> len(drawn(30)), drawn(30)[:2] == [NAMED["paper"], NAMED["C"]]
    (30, True)
    """
    named = list(NAMED.values())[:n_readings]
    others = [reading for reading in everything() if reading not in named]
    order = np.random.default_rng(2016).permutation(len(others))
    return named + [others[place] for place in order[: n_readings - len(named)]]
