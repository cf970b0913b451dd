"""``genreplay learn --watch``: a live view of a model while it learns."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from genreplay.cli.progress import Line, Status
from genreplay.core.grouped.learner import count
from genreplay.core.kernels.arrays import Codes, Offsets
from genreplay.estimators.renewal import dreamed
from genreplay.streams.chunks import shown

BLOCKS = "▁▂▃▄▅▆▇█"
N_POINTS = 60
"""points of the curve"""
N_COLUMNS = 12
"""columns of the table that are shown, those that differ most first"""
N_RECENT = 1000
"""newest rows that dreams are compared with"""
N_DREAMS, N_GIBBS = 500, 5
"""dreams that they are compared with, and their Gibbs steps"""


class Watch(Line):
    """The curve of the surprise of new rows, or of the highest anomaly in a series, dreams against recent rows for each
    column, and the drift signal."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._curve: deque[float] = deque(maxlen=N_POINTS)
        self._sum, self._n, self._highest = 0.0, 0, 0.0
        self._recent: deque[npt.NDArray[np.object_]] = deque(maxlen=10)

    def note_surprise(self, nats: npt.NDArray[np.float64]) -> None:
        known = nats[~np.isnan(nats)]
        self._sum += float(known.sum())
        self._n += len(known)
        self._highest = max([self._highest, *known.tolist()])

    def picture(self, status: Status) -> RenderableType:
        if self._n:
            self._curve.append(self._sum / self._n if status.model.alarms is None else self._highest)
            self._sum, self._n, self._highest = 0.0, 0, 0.0
        if status.newest is not None:
            self._recent.append(status.newest[-N_RECENT // 10 :])
        parts: list[RenderableType] = [super().picture(status)]
        if self._curve:
            parts += [self._surprise(status), _drift(status)]
        if self._recent and status.model.is_ready_:
            parts.append(self._columns(status))
        return Group(*parts)

    def _surprise(self, status: Status) -> Text:
        policy = status.model.alarms
        if policy is None:
            curve, told = sparkline(list(self._curve)), f"{self._curve[-1]:.2f} nats; about 1 while rows fit"
            return Text.assemble("surprise  ", (curve, "cyan"), f"  {told}")
        told = f"{self._curve[-1]:.1f}; alarms from {policy.threshold:g} on, so far: {status.n_alarms or 0:,}"
        return Text.assemble("anomaly   ", (sparkline(list(self._curve), policy.threshold), "cyan"), f"  {told}")

    def _columns(self, status: Status) -> Table:
        """For each column, the code in which the shares of recent rows and of dreams differ most."""
        encoder, judge = status.model.encoder_, status.model.judge_
        assert judge is not None, "the model is ready"
        offsets = judge.state.offsets[: judge.state.n_groups + 1]
        recent = encoder.codes(np.concatenate(self._recent))[:, : len(offsets) - 1]
        rows = _shares(recent, offsets)
        dreams = _shares(dreamed(judge.state, N_DREAMS, N_GIBBS, np.random.default_rng(0)), offsets)
        names = encoder.get_feature_names_out(status.names)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for heading in ("column", "differs most in", "rows", "dreams"):
            table.add_column(heading, justify="right" if heading in ("rows", "dreams") else "left", no_wrap=True)
        widest = []
        for column, name in enumerate(status.names):
            bits = np.flatnonzero(encoder.column_of_bit_ == column)
            bit = bits[np.argmax(np.abs(rows[bits] - dreams[bits]))]
            widest.append((float(abs(rows[bit] - dreams[bit])), name, bit))
        for difference, name, bit in sorted(widest, key=lambda found: -found[0])[:N_COLUMNS]:
            style = "red" if difference > 0.2 else "yellow" if difference > 0.1 else ""
            cells = (shown(name), shown(str(names[bit])), f"{rows[bit]:.0%}", f"{dreams[bit]:.0%}")
            table.add_row(*map(Text, cells), style=style)  # Text is printed as it is, without rich's markup
        return table


def _shares(codes: Codes, offsets: Offsets) -> npt.NDArray[np.float64]:
    """The share of the rows that has each code."""
    return count(codes, np.full(len(codes), 1 / len(codes)), offsets)


def _drift(status: Status) -> Text:
    drift = status.model.drift_
    full = round(20 * drift.signal)
    return Text.assemble(
        "drift     ", ("█" * full, "red"), ("·" * (20 - full), "dim"), f"  noticed so far: {drift.n_drifts:,}"
    )


def sparkline(values: list[float], least: float = 2.0) -> str:
    """A curve in one line, from 0 to the highest value, or to ``least`` if that is higher.

    >>> sparkline([0.1, 1.0, 1.9])
    '▁▅█'
    """
    top = max(least, *values)
    return "".join(BLOCKS[min(int(value / top * len(BLOCKS)), len(BLOCKS) - 1)] for value in values)
