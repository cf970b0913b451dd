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
from genreplay.estimators.plain_detector import Detector
from genreplay.formatting import size

EVERY = 5.0
"""seconds between two lines of a log"""
REFRESH = 0.25
"""seconds between two refreshes of a terminal"""


@dataclass(frozen=True)
class Status:
    """What a progress display shows."""

    model: Detector
    names: Sequence[str]
    """names of the table's columns"""
    newest: npt.NDArray[Any] | None
    """the last rows that were learned; None if none came"""
    surprise: float | None
    """mean of the newest rows, in nats, each before it was learned; in a series, the highest anomaly of one of them;
    None in the warm-up"""
    n_read: int
    """rows read in this run"""
    rate: float
    """rows a second since the last display"""
    n_skipped: int
    """bad rows"""
    n_alarms: int | None = None
    """alarms of a series in this run; None for a table"""

    @property
    def replay_share(self) -> float:
        """Share of rehearsed rows in what an update learns from."""
        if not self.model.is_ready_ or len(self.model.dreams_) == 0:
            return 0.0
        settings = self.model.settings_
        return settings.replay.n_rows / (settings.batch_size + settings.replay.n_rows)

    def __str__(self) -> str:
        parts = [f"{self.n_read:,} rows", f"{self.rate:,.0f} a second", f"{self.replay_share:.0%} replay"]
        if self.surprise is not None:
            is_table = self.n_alarms is None
            parts.append(f"surprise {self.surprise:.2f} nats" if is_table else f"anomaly up to {self.surprise:.1f}")
        if self.n_alarms:
            parts.append(f"alarms: {self.n_alarms:,}")
        if self.n_skipped:
            parts.append(f"{self.n_skipped:,} bad")
        if self.model.drift_.n_drifts:
            parts.append(f"drifts: {self.model.drift_.n_drifts:,}")
        if self.model.n_renewals_:
            parts.append(f"new codes: {self.model.n_renewals_:,}")
        return ", ".join([*parts, size(self.model.nbytes.total)])


class Display(Protocol):
    """Something that shows progress."""

    every: float
    """seconds between two displays"""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def note_surprise(self, nats: npt.NDArray[np.float64]) -> None:
        """Record how surprising new rows were before they were learned, or their anomaly in a series."""

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
