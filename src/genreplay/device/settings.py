"""The settings of a learner on a device: the macros of ``genreplay.h``, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from genreplay.core.ingredient import Ingredient, is_number, is_positive_int, require

MOST_VISIBLE = {False: 4095, True: 256}
"""visible units, at most, for floats and for integers, whose sums have 16 bits"""


@dataclass(frozen=True, repr=False, kw_only=True)
class Settings(Ingredient):
    """How a device learns. Each field is a macro of ``genreplay.h``; the defaults are those of the header.

    >>> settings = Settings(n_visible=64, n_hidden=16, integer=True)
    >>> print(settings.defines()[:3], settings.n_bytes)
    ['GR_VISIBLE 64', 'GR_HIDDEN 16', 'GR_INTEGER 1'] 8
    """

    n_visible: int
    """visible units"""
    n_hidden: int
    """hidden units"""
    integer: bool = False
    """8-bit weights and no floating point"""
    batch_size: int = 20
    """n_B, rows that make an update"""
    n_dreams: int = 60
    """n_Bhat, dreams learned beside them"""
    n_epochs: int = 1
    """n_E, steps an update; each has new dreams"""
    n_cd: int = 1
    """n_CD, Gibbs steps of the negative phase"""
    n_gibbs: int = 1
    """n_Gs, Gibbs steps of a dream"""
    n_chains: int = 0
    """persistent chains for the negative phase; 0: it starts at the rows, as in the paper"""
    base_rates: bool = False
    """visible biases start at the log-odds of the first batch"""
    learning_rate: float = 0.05
    """alpha"""
    momentum: float = 0.9
    """rho; integers have none, and step 1 / (1 - rho) times as far"""
    weight_decay: float = 0.0002
    """xi"""
    sigma: float = 0.01
    """standard deviation of the first weights"""

    def __post_init__(self) -> None:
        limits = {"n_visible": MOST_VISIBLE[self.integer], "n_hidden": 255, "batch_size": 255}
        limits |= dict.fromkeys(("n_epochs", "n_cd", "n_gibbs"), 255)
        for name, most in limits.items():
            value = getattr(self, name)
            require(self, name, f"an int from 1 to {most}", is_positive_int(value) and value <= most)
        for name, most in {"n_dreams": 1023, "n_chains": 255}.items():
            value = getattr(self, name)
            require(self, name, f"an int from 0 to {most}", value == 0 or (is_positive_int(value) and value <= most))
        require(self, "learning_rate", "a positive number", is_number(self.learning_rate, above=0))
        for name in ("momentum", "weight_decay", "sigma"):
            value = getattr(self, name)
            require(self, name, "a number, 0 or more", value == 0 or is_number(value, above=0))
        require(self, "momentum", "less than 1", self.momentum < 1)

    @property
    def n_bytes(self) -> int:
        """Bytes of a row."""
        return (self.n_visible + 7) // 8

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of Theta, with the biases as its last row and column."""
        return self.n_visible + 1, self.n_hidden + 1

    def defines(self) -> list[str]:
        """The macros and their values."""
        return [f"{MACROS[field.name]} {_literal(getattr(self, field.name))}" for field in fields(self)]


MACROS = {
    "n_visible": "GR_VISIBLE",
    "n_hidden": "GR_HIDDEN",
    "integer": "GR_INTEGER",
    "batch_size": "GR_BATCH",
    "n_dreams": "GR_DREAMS",
    "n_epochs": "GR_EPOCHS",
    "n_cd": "GR_STEPS",
    "n_gibbs": "GR_GIBBS",
    "n_chains": "GR_CHAINS",
    "base_rates": "GR_BASE_RATES",
    "learning_rate": "GR_RATE",
    "momentum": "GR_MOMENTUM",
    "weight_decay": "GR_DECAY",
    "sigma": "GR_SIGMA",
}
"""the macro of each setting"""


def _literal(value: float) -> str:
    """A number in C: the float literal is the shortest that gives the same 32 bits.

    >>> _literal(True), _literal(20), _literal(0.05), _literal(1e-8), _literal(1.0)
    ('1', '20', '0.05f', '1e-08f', '1.0f')
    """
    return str(int(value)) if isinstance(value, int) else f"{np.float32(value)!s}f"
