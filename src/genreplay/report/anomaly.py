"""The section on anomalies: how well each detector finds them, its time and memory, and its false-alarm rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.datasets.anomaly import names
from genreplay.experiments.anomaly import NOMINAL, OFFLINE, ONLINE
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record
from genreplay.formatting import percent
from genreplay.report import calibration as usual_rows
from genreplay.report import halves, svg
from genreplay.report.calibration import FACTOR, within

DETECTORS = (*ONLINE, *OFFLINE)
FEW = 10
"""where fewer alarms than this are expected, few rows decide whether a rate is right"""
CALIBRATIONS = {"p-values": "dream_alarms", "stored quantiles": "stored_alarms"}
"""where a threshold comes from, and the figure that says how often usual rows pass it"""
MARKERS = {"p-values": "o", "stored quantiles": "s"}
_BEYOND = 20.0
"""factor off the nominal rate at which a picture ends; rates farther off are drawn on its edge"""

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


class Alarms(NamedTuple):
    """False-alarm rates on one set."""

    title: str
    rates: dict[str, np.ndarray]
    """by calibration, of shape (seeds, nominal rates)"""
    n_usual: int
    """usual rows that were judged, over all seeds"""

    def mean(self, calibration: str, at: int) -> float:
        """The mean rate over seeds, for the nominal rate with this index."""
        return float(self.rates[calibration][:, at].mean())

    def is_right(self, calibration: str, at: int) -> bool:
        """Whether this mean is within ``FACTOR`` of the nominal rate."""
        return within(self.mean(calibration, at), NOMINAL[at])

    @property
    def n_expected(self) -> float:
        """Alarms that are expected over all seeds at the lowest nominal rate."""
        return self.n_usual * min(NOMINAL)


class Section(NamedTuple):
    """Everything that the section shows."""

    sentences: list[str]
    auc: list[Row]
    """a row for each set, and the mean"""
    precision: list[Row]
    prices: list[Price]
    pictures: dict[str, Markup]
    """measured false-alarm rates, by nominal rate"""
    alarms: list[Alarms]
    usual: list[usual_rows.Row]
    """false alarms where only usual rows were learned"""
    halves: halves.Halves | None
    libraries: list[str]


def anomalies(results: Results) -> Section | None:
    """Make the section; None where nothing was run."""
    found = _find(results)
    if not found:
        return None
    alarms = _alarms(found)
    by_detector = {
        method: records
        for method in DETECTORS
        if (records := [record for by_method in found.values() for record in by_method[method]])
    }
    return Section(
        sentences(results),
        table(results, "auc"),
        table(results, "average_precision"),
        [_price(method, records) for method, records in by_detector.items()],
        _pictures(alarms),
        alarms,
        usual_rows.calibration(results),
        halves.halves(results),
        sorted(
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
    """The section in a few sentences made from its figures."""
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
    said += usual_rows.sentences(results)
    said += _say_alarms(_alarms(_find(results)))
    splits = halves.halves(results)
    return [*said, splits.sentence] if splits else said


def _say_alarms(alarms: Sequence[Alarms]) -> list[str]:
    said = []
    for calibration in CALIBRATIONS if alarms else ():
        right = [sum(each.is_right(calibration, at) for each in alarms) for at in range(len(NOMINAL))]
        both = sum(all(each.is_right(calibration, at) for at in range(len(NOMINAL))) for each in alarms)
        counts = " and ".join(f"{n} sets at {percent(rate)}" for n, rate in zip(right, NOMINAL, strict=True))
        said.append(
            f"False alarms with the anomalies in the stream, thresholds from {calibration}: in the mean over orders, "
            f"within a factor of {FACTOR:g} of the nominal rate on {counts}, on {both} of {len(alarms)} at both."
        )
    small = [each for each in alarms if each.n_expected < FEW]
    if small:
        said.append(
            f"Few rows decide this on {len(small)} of these sets, where fewer than {FEW} alarms are expected at "
            f"{percent(min(NOMINAL))} over all orders together (in brackets, the usual rows that were judged): "
            + ", ".join(f"{each.title} ({each.n_usual:,})" for each in small)
            + "."
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


def _alarms(found: Found) -> list[Alarms]:
    return [
        Alarms(
            dataset,
            {name: np.array([r["figures"][figure] for r in by_method["RBM"]]) for name, figure in CALIBRATIONS.items()},
            sum(record["figures"]["n_usual"] for record in by_method["RBM"]),
        )
        for dataset, by_method in found.items()
        if by_method["RBM"]
    ]


def _pictures(alarms: Sequence[Alarms]) -> dict[str, Markup]:
    return {percent(rate): _draw(alarms, at, rate) for at, rate in enumerate(NOMINAL)} if alarms else {}


def _draw(alarms: Sequence[Alarms], at: int, nominal: float) -> Markup:
    """A line for each set: measured rates, the mean and the range over seeds, on a logarithmic axis."""
    figure, axes = svg.panel(4.6, 0.9 + 0.27 * len(alarms))
    axes.axvspan(nominal / FACTOR, nominal * FACTOR, color=svg.INKS["grid"], linewidth=0)
    axes.axvline(nominal, color=svg.INKS["ink"], linestyle=":", linewidth=1.2)
    low, high = nominal / _BEYOND, min(nominal * _BEYOND, 1.0)
    for offset, calibration in zip((-0.16, 0.16), CALIBRATIONS, strict=True):
        rates = [np.clip(each.rates[calibration][:, at], low, high) for each in alarms]
        means = np.clip([each.mean(calibration, at) for each in alarms], low, high)
        y = np.arange(len(alarms)) + offset
        ink = svg.ink(calibration)
        axes.hlines(y, [each.min() for each in rates], [each.max() for each in rates], color=ink, linewidth=1.2)
        axes.plot(means, y, color=ink, marker=MARKERS[calibration], linestyle="none", clip_on=False)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = [nominal * factor for factor in (0.1, 1 / FACTOR, 1, FACTOR, 10)]
    axes.set_xticks(ticks, [f"{100 * tick:.2g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(alarms)), [each.title for each in alarms])
    axes.set_ylim(len(alarms) - 0.4, -0.6)
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("usual rows that raise an alarm, %")
    return svg.to_svg(
        figure, f"alarms-{100 * nominal:.0f}", f"False-alarm rates at a nominal {percent(nominal)}, by set"
    )
