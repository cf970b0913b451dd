"""Progress of learning, on stderr: one live line on a terminal, a line every few seconds in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from rich.console import Console, RenderableType
from rich.live import Live
from rich.text import Text

from genreplay.cli import errors
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.formatting import size

EVERY = 5.0
"""seconds between two lines of a log"""
REFRESH = 0.25
"""seconds between two refreshes of a terminal"""


@dataclass(frozen=True)
class Status:
    """What a progress display shows."""

    model: OnlineRBMDetector
    names: Sequence[str]
    """names of the table's columns"""
    newest: npt.NDArray[Any] | None
    """the last rows that were learned; None if none came"""
    n_read: int
    """rows read in this run"""
    rate: float
    """rows a second since the last display"""
    n_skipped: int
    """bad rows"""

    @property
    def replay_share(self) -> float:
        """Share of rehearsed rows in what the newest update learned from."""
        info = self.model.rbm_.info_
        return 0.0 if info is None else info.replay_share

    @property
    def above_dreams(self) -> float | None:
        """Mean free energy of the newest rows minus that of dreams, in nats."""
        if self.newest is None or not self.model.is_ready_:
            return None
        return -float(np.mean(self.model.score_samples(self.newest)))

    def __str__(self) -> str:
        parts = [f"{self.n_read:,} rows", f"{self.rate:,.0f} a second", f"{self.replay_share:.0%} replay"]
        if (above := self.above_dreams) is not None:
            parts.append(f"free energy {above:+.2f} nats against dreams")
        if self.n_skipped:
            parts.append(f"{self.n_skipped:,} bad")
        if self.model.drift_.n_drifts:
            parts.append(f"drifts: {self.model.drift_.n_drifts:,}")
        return ", ".join([*parts, size(self.model.nbytes.total)])


class Display(Protocol):
    """Something that shows progress."""

    every: float
    """seconds between two displays"""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def note_surprise(self, nats: npt.NDArray[np.float64]) -> None:
        """Record how surprising new rows were before they were learned."""

    def show(self, status: Status) -> None:
        """Show the progress."""

    def say(self, text: str) -> None:
        """Print a line that stays on the screen."""


class Silent:
    """Shows nothing."""

    every = float("inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def note_surprise(self, nats: npt.NDArray[np.float64]) -> None:
        return None

    def show(self, status: Status) -> None:
        return None

    def say(self, text: str) -> None:
        return None


class Log(Silent):
    """Prints a line every few seconds."""

    every = EVERY

    def show(self, status: Status) -> None:
        self.say(str(status))

    def say(self, text: str) -> None:
        errors.say(text)


class Line(Log):
    """One line on a terminal, rewritten in place."""

    every = REFRESH

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._live.stop()

    def show(self, status: Status) -> None:
        self._live.update(self.picture(status), refresh=True)

    def picture(self, status: Status) -> RenderableType:
        """What is drawn on the terminal."""
        return Text(str(status), overflow="ellipsis", no_wrap=True)

    def say(self, text: str) -> None:
        self._live.console.print(errors.one_line(text), highlight=False, markup=False, soft_wrap=True)


def choose(quiet: bool, watch: Callable[[Console], Display] = Line) -> Display:
    """The display for stderr: live on a terminal, lines in a log."""
    if quiet:
        return Silent()
    console = Console(stderr=True)
    return watch(console) if console.is_terminal and not console.is_dumb_terminal else Log()


class Pace:
    """Measures rows a second, and says when the next display is due."""

    def __init__(self, every: float) -> None:
        self._every = every
        self._time = time.monotonic()
        self._n_rows = 0

    @property
    def due(self) -> bool:
        """Whether the next display is due."""
        return time.monotonic() - self._time >= self._every

    def rate(self, n_rows: int) -> float:
        """Rows a second since this was last asked."""
        now = time.monotonic()
        rate = (n_rows - self._n_rows) / max(now - self._time, 1e-9)
        self._time, self._n_rows = now, n_rows
        return rate
