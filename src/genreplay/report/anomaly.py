"""The page on anomalies: how well each detector finds them, in what time and memory, and with which settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.datasets.anomaly import names
from genreplay.experiments.anomaly import OFFLINE, ONLINE, AnomalyRun
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record
from genreplay.report import halves, svg
from genreplay.report.faults import CHANCE

DETECTORS = (*ONLINE, *OFFLINE)

Found = dict[str, dict[str, list[Record]]]
"""records by set and method, of the sets that have some"""


class Cell(NamedTuple):
    """What a method reached on a set."""

    by_seed: dict[int, float]
    mean: float
    best: bool = False
    """the best online method of its row"""

    @property
    def deviation(self) -> float | None:
        """The standard deviation over seeds; None for a single one."""
        return float(np.std(list(self.by_seed.values()), ddof=1)) if len(self.by_seed) > 1 else None


class Row(NamedTuple):
    """A set, or the mean of the sets."""

    title: str
    note: str
    cells: Mapping[str, Cell]
    """by method; none where it was not run, and none where no counted row is an anomaly"""
    run: frozenset[str]
    """methods that were run"""


class Price(NamedTuple):
    """Speed and memory of a method: lowest, median and highest over sets and seeds."""

    method: str
    rows_a_second: tuple[float, float, float]
    held_bytes: tuple[float, float, float]


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    picture: Markup
    auc: list[Row]
    """a row for each set, and the mean"""
    precision: list[Row]
    prices: list[Price]
    halves: halves.Halves | None
    n_splits: int
    """into halves"""
    libraries: list[str]
    methods: tuple[str, ...]
    online: tuple[str, ...]
    n_head: int
    """rows that are learned and not counted"""
    max_sample: int
    """rows that LocalOutlierFactor is fitted on, at most"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    found = _find(results)
    if not found:
        return None
    by_detector = {
        method: records
        for method in DETECTORS
        if (records := [record for by_method in found.values() for record in by_method[method]])
    }
    first = results.runs("anomaly")[0]
    assert isinstance(first, AnomalyRun)
    auc = table(results, "auc")
    return Content(
        sentences=sentences(results),
        picture=_draw(auc),
        auc=auc,
        precision=table(results, "average_precision"),
        prices=[_price(method, records) for method, records in by_detector.items()],
        halves=halves.halves(results),
        n_splits=halves.N_SPLITS,
        methods=DETECTORS,
        online=ONLINE,
        n_head=first.n_head,
        max_sample=first.max_sample,
        libraries=sorted(
            {
                record["figures"]["library"]
                for records in by_detector.values()
                for record in records
                if "library" in record["figures"]
            }
        ),
    )


def table(results: Results, figure: str) -> list[Row]:
    """A row for each set with a figure of each method, and their mean; empty where nothing was run."""
    rows = []
    for dataset, by_method in _find(results).items():
        cells = {method: cell for method, records in by_method.items() if (cell := _cell(records, figure))}
        run = frozenset(method for method, records in by_method.items() if records)
        rows.append(Row(dataset, _note(by_method), _mark_best(cells), run))
    return [*rows, _mean(rows)] if rows else []


def sentences(results: Results) -> list[str]:
    """The page in a few sentences made from its figures."""
    rows = _whole(table(results, "auc")[:-1])
    said = []
    if rows:
        mean = f"Mean ROC-AUC over {len(rows)} sets: {_say(ONLINE, rows)}"
        if any(method in rows[0].cells for method in OFFLINE):
            mean += f"; fitted offline, {_say(OFFLINE, rows)}"
        said.append(f"{mean}.")
        wins = {method: sum(row.cells[method].best for row in rows) for method in ONLINE if method in rows[0].cells}
        if len(wins) == len(ONLINE):
            said.append(
                f"Best of the online methods: {', '.join(f'{method} on {n}' for method, n in wins.items())} of "
                f"{len(rows)} sets."
            )
    return said


def _find(results: Results) -> Found:
    found = {
        dataset: {method: results.find("anomaly", dataset=dataset, method=method) for method in DETECTORS}
        for dataset in names()
    }
    return {dataset: by_method for dataset, by_method in found.items() if any(by_method.values())}


def _note(by_method: dict[str, list[Record]]) -> str:
    first = next(records[0]["figures"] for records in by_method.values() if records)
    n_rows, n_total = first["n_rows"], first["n_total"]
    said = f"{n_rows:,} rows" if n_rows == n_total else f"first {n_rows:,} of {n_total:,} rows"
    return f"{said}, {100 * first['n_anomalies'] / first['n_counted']:.2g} % anomalies"


def _cell(records: Sequence[Record], figure: str) -> Cell | None:
    values = {r["seed"]: r["figures"][figure] for r in records if r["figures"][figure] is not None}
    return Cell(values, float(np.mean(list(values.values())))) if values else None


def _mark_best(cells: Mapping[str, Cell]) -> Mapping[str, Cell]:
    if not all(method in cells for method in ONLINE):
        return cells
    best = max(cells[method].mean for method in ONLINE)
    return {m: cell._replace(best=m in ONLINE and cell.mean == best) for m, cell in cells.items()}


def _whole(rows: Sequence[Row]) -> list[Row]:
    """The rows on which every method that was run at all has a figure: only those can be averaged."""
    run = {method for row in rows for method in row.cells}
    return [row for row in rows if set(row.cells) == run]


def _mean(rows: Sequence[Row]) -> Row:
    whole = _whole(rows)
    cells = {}
    for method in whole[0].cells if whole else ():
        each = [row.cells[method] for row in whole]
        seeds = set.intersection(*(set(cell.by_seed) for cell in each))
        by_seed = {seed: float(np.mean([cell.by_seed[seed] for cell in each])) for seed in sorted(seeds)}
        cells[method] = Cell(by_seed, float(np.mean([cell.mean for cell in each])))
    return Row(f"mean of {len(whole)} sets", "", _mark_best(cells), frozenset(cells))


def _say(methods: Sequence[str], rows: Sequence[Row]) -> str:
    return ", ".join(
        f"{method} {np.mean([row.cells[method].mean for row in rows]):.3f}"
        for method in methods
        if method in rows[0].cells
    )


def _price(method: str, records: Sequence[Record]) -> Price:
    figures = [record["figures"] for record in records]
    speeds = [each["n_rows"] / max(each["seconds"], 1e-9) for each in figures]
    return Price(method, _spread(speeds), _spread([each["held_bytes"] for each in figures]))


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    return float(np.min(values)), float(np.median(values)), float(np.max(values))


def _draw(rows: Sequence[Row]) -> Markup:
    """A line for each method: a dot for each set, and the mean as an upright mark."""
    *sets, mean = rows
    figure, axes = svg.panel(5.4, 0.9 + 0.42 * len(DETECTORS))
    for place, method in enumerate(DETECTORS):
        aucs = [row.cells[method].mean for row in sets if method in row.cells]
        axes.plot(aucs, [place] * len(aucs), "o", color=svg.ink(method), alpha=0.45, markeredgewidth=0)
        if method in mean.cells:
            axes.plot(mean.cells[method].mean, place, "|", color=svg.INKS["ink"], markersize=20, markeredgewidth=2.4)
    axes.axvline(CHANCE, color=svg.INKS["ink"], linestyle=":", linewidth=1.2)
    axes.set_yticks(range(len(DETECTORS)), [m if m in ONLINE else f"{m}, offline" for m in DETECTORS])
    axes.set_ylim(len(DETECTORS) - 0.5, -0.5)
    axes.set_xlim(right=1.01)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("ROC-AUC")
    return svg.to_svg(figure, "anomaly-auc", "ROC-AUC of each detector on each set, and the mean")
