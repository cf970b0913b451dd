"""The learner for devices beside the one in Python (not in the paper): what float32 and 8-bit integers cost in quality.

The device's learner is ``genreplay.device.reference``, which gives the bits of the C code. Python's is ``OnlineRBM``
with the same settings: the same recipe, units, batch, dreams and epochs, and so the same rows in the same order. On
the toy classes of section 4.1, which come one after the other, and on scikit-learn's digits, in random order, both are
compared by the exact log-likelihood of test rows. On tables of sensors, coded as ``gr_encode`` codes them, they are
compared by how well the free energy of a row, taken before the row is learned, tells anomalies from usual rows.
``OnlineRBMDetector`` with as many hidden units and rows a batch stands beside them: it learns in another way, which
needs more memory than a small device has.

The settings of the tables were chosen on vowels, thyroid, mammography and pima. Of these, only vowels is listed here,
where contrastive divergence is far behind the detector. "Python, averaged" is Python's learner with averaged
parameters, which would take half as much memory again on a device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from genreplay.core import partition
from genreplay.core.averaging import RecentAverage
from genreplay.core.grouped import TableRBM
from genreplay.core.rbm import RBM, free_energy
from genreplay.datasets import anomaly as tables
from genreplay.device import Coder, Reference, Settings
from genreplay.device.transfer import from_device
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.online_rbm import OnlineRBM
from genreplay.experiments.run import Figures, Report

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[np.bool_]
LEARNERS = ("device float32", "device integers", "Python", "Python, averaged", "detector")
TABLES = ("cardio", "shuttle", "satimage-2", "vowels")
N_CODES = {"satimage-2": 7}
"""intervals of a column; fewer where 8 would make more than the 256 bits that integers take"""
MAX_ROWS = 5_000
"""rows of a table's stream, at most"""
_LEARNING: dict[str, dict[str, object]] = {
    "toy": {},
    "digits": {"n_epochs": 10},
    "table": {"n_epochs": 3, "base_rates": True, "sigma": 0.1},
}
"""settings that differ from the defaults of the header"""


@dataclass(frozen=True)
class DeviceRun:
    """One learner on one stream."""

    kind: ClassVar[str] = "device"
    version: ClassVar[int] = 1

    dataset: str = "digits"
    """toy, digits, or a table"""
    learner: str = "device float32"
    """device float32, device integers, Python, "Python, averaged" (without tables), or detector (tables alone)"""
    n_hidden: int = 16
    """hidden units"""
    max_rows: int = MAX_ROWS
    """rows of a table's stream, or of a class of the toy, at most"""

    @property
    def title(self) -> str:
        return f"{self.dataset} {self.learner}"

    def execute(self, seed: int, report: Report) -> Figures:
        if self.dataset in ("toy", "digits"):
            rows, test = (toy if self.dataset == "toy" else digits)(seed, self.max_rows)
            return {"nats": self._nats(rows, test, seed), "n_rows": len(rows), "n_test": len(test)}
        return self._auc(seed, report)

    def _settings(self, n_visible: int) -> Settings:
        kind = self.dataset if self.dataset in _LEARNING else "table"
        settings = Settings(n_visible=n_visible, n_hidden=self.n_hidden, integer=self.learner == "device integers")
        return settings.replace(**_LEARNING[kind])

    def _python(self, settings: Settings, seed: int) -> OnlineRBM:
        recipe = from_device(Reference(settings)).recipe
        if self.learner == "Python, averaged":
            recipe = recipe.replace(averaging=RecentAverage())
        return OnlineRBM(settings.n_hidden, recipe=recipe, batch_size=settings.batch_size, random_state=seed)

    def _nats(self, rows: Bits, test: Bits, seed: int) -> float:
        """Mean log-likelihood of test rows, exact: the hidden units are few enough to sum over all their states."""
        settings = self._settings(rows.shape[1])
        if self.learner.startswith("Python"):
            rbm = self._python(settings, seed).fit(rows).state_.model
        else:
            learner = Reference(settings, seed + 1).learn(rows)
            rbm = learner.rbm
        exact = RBM(*(part.astype(np.float64) for part in rbm))
        return float((-free_energy(exact, test.astype(np.float64))).mean() - partition.exact(exact).log_z)

    def _auc(self, seed: int, report: Report) -> Figures:
        from sklearn.metrics import roc_auc_score

        _, cells, is_anomaly = tables.load(self.dataset)
        order = np.random.default_rng(seed).permutation(len(cells))[: self.max_rows]
        cells, is_anomaly = cells[order], is_anomaly[order]
        n_head = min(500, len(cells) // 4 // 100 * 100)
        found: Figures = {"n_rows": len(cells), "n_anomalies": int(is_anomaly[n_head:].sum())}
        if self.learner == "detector":
            rbm = TableRBM(self.n_hidden, batch_size=20)
            scores = OnlineRBMDetector(rbm=rbm, warm_up=n_head, random_state=seed).learn_scored(cells)[n_head:]
        else:
            rows = coded(cells, n_head, N_CODES.get(self.dataset, 8))
            scores, p_values = self._scores(rows, seed, report)
            if p_values is not None:
                usual = p_values[~is_anomaly[n_head:]]
                found["alarms"] = [float((usual <= rate).mean()) for rate in (0.05, 0.01)]
        return {**found, "auc": float(roc_auc_score(is_anomaly[n_head:], scores))}

    def _scores(self, rows: Bits, seed: int, report: Report) -> tuple[Floats, Floats | None]:
        """The score of every row before it is learned, and its p-value on the device."""
        settings = self._settings(rows.shape[1])
        scores, p_values = np.empty(len(rows)), np.empty(len(rows))
        python = self._python(settings, seed) if self.learner == "Python" else None
        device = Reference(settings, seed + 1)
        for start in range(0, len(rows), settings.batch_size):
            here = slice(start, start + settings.batch_size)
            if python is None:
                scores[here], p_values[here] = device.score(rows[here])
                device.learn(rows[here])
            else:
                scores[here] = python.free_energy(rows[here]) if start else 0.0
                python.partial_fit(rows[here])
            report(start / len(rows), "learn")
        return scores, p_values if python is None else None


def toy(seed: int, n_each: int) -> tuple[Bits, Bits]:
    """The ten classes of section 4.1, one after the other, and a tenth as many test rows."""
    rng = np.random.default_rng(seed)
    n_each = min(n_each, 1_000)
    found = []
    for n in (n_each, n_each // 10):
        rows = rng.random((10, n, 100)) < 0.3
        rows &= (np.arange(100) // 10 == np.arange(10)[:, np.newaxis])[:, np.newaxis]
        found.append(rows.reshape(-1, 100))
    return found[0], found[1]


def digits(seed: int, max_rows: int) -> tuple[Bits, Bits]:
    """The digits of scikit-learn in random order, 64 pixels that are on or off; the last 397 are test rows."""
    from sklearn.datasets import load_digits

    rows = np.random.default_rng(seed).permutation(load_digits().data > 7)
    return rows[:1400][:max_rows], rows[1400:]


def coded(cells: Floats, n_head: int, n_codes: int) -> Bits:
    """The rows after the head as bits. The head is the warm-up, and sets the scale of 16-bit readings."""
    low, high = np.quantile(cells[:n_head], [0.01, 0.99], axis=0)
    scale = np.where(high > low, high - low, np.maximum(np.abs(low), 1.0))
    readings = np.clip(np.rint((cells - low) / scale * 2_000), -32_768, 32_767).astype(np.int16)[:, :, np.newaxis]
    coder = Coder(cells.shape[1], window=1, n_codes=n_codes, warm_up=n_head).learn(readings[:n_head])
    return coder.encode(readings[n_head:])


def runs(quick: bool = False) -> list[DeviceRun]:
    """Every stream and learner."""
    streams = (
        [("toy", 60), ("digits", 400), ("cardio", 800)]
        if quick
        else [(name, MAX_ROWS) for name in ("toy", "digits", *TABLES)]
    )
    return [
        DeviceRun(dataset, learner, max_rows=n)
        for dataset, n in streams
        for learner in LEARNERS
        if learner != ("detector" if dataset in ("toy", "digits") else "Python, averaged")
    ]
