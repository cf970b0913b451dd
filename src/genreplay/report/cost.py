"""What an update costs as the stream grows: time relative to OCD_GR, and bytes held."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record
from genreplay.report import svg

COST_METHODS = ("OCD_GR", "ER-IM", "ER-ML", "ER-ML packed", "no replay")


class Price(NamedTuple):
    """A row of the table: what a method costs at the end of the stream."""

    method: str
    milliseconds: dict[int, float]
    """of an update, by n_E"""
    ratios: dict[int, float]
    """to OCD_GR"""
    held_first: int
    held_last: int


class Content(NamedTuple):
    """Everything that the page shows."""

    times: dict[int, Markup]
    """a picture for each n_E"""
    memory: Markup
    prices: list[Price]
    methods: tuple[str, ...]
    rows_first: int
    rows_last: int
    parameter_bytes: int


def content(results: Results) -> Content | None:
    """Make the content of the page, with medians over seeds; None where nothing was run."""
    found: dict[int, list[Record]] = {n: records for n in (1, 10) if (records := results.find("cost", n_epochs=n))}
    if not found:
        return None
    first = next(iter(found.values()))[0]["figures"]
    rows = np.array(first["rows_seen"])
    held = {method: np.array(first["replay_bytes"][method]) for method in COST_METHODS}
    seconds = {
        n: {m: np.array([record["figures"]["update_seconds"][m] for record in records]) for m in COST_METHODS}
        for n, records in found.items()
    }
    ratios = {n: {m: np.median(each[m] / each["OCD_GR"], axis=0) for m in COST_METHODS} for n, each in seconds.items()}
    prices = [
        Price(
            method,
            {n: 1e3 * float(np.median(each[method][:, -1])) for n, each in seconds.items()},
            {n: float(each[method][-1]) for n, each in ratios.items()},
            int(held[method][0]),
            int(held[method][-1]),
        )
        for method in COST_METHODS
    ]
    times = {n: _times(rows, each, n) for n, each in ratios.items()}
    memory = _memory(rows, held, first["parameter_bytes"])
    return Content(times, memory, prices, COST_METHODS, int(rows[0]), int(rows[-1]), int(first["parameter_bytes"]))


def _times(rows: np.ndarray, ratios: dict[str, np.ndarray], n_epochs: int) -> Markup:
    figure, axes = svg.panel(3.6, 2.9)
    for method, values in ratios.items():
        axes.plot(rows, values, color=svg.ink(method), marker=svg.MARKERS[method])
    axes.set_xscale("log")
    svg.plain_log(axes.xaxis)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("rows seen")
    axes.set_ylabel("time relative to OCD_GR")
    return svg.to_svg(figure, f"cost-{n_epochs}", f"Time of an update relative to OCD_GR with n_E = {n_epochs}")


def _memory(rows: np.ndarray, held: dict[str, np.ndarray], parameter_bytes: int) -> Markup:
    figure, axes = svg.panel(3.6, 2.9)
    for method, values in held.items():
        # the parameters are held by all; without them OCD_GR would have no place on a logarithmic axis
        axes.plot(rows, (values + parameter_bytes) / 1e6, color=svg.ink(method), marker=svg.MARKERS[method])
    axes.set_xscale("log")
    axes.set_yscale("log")
    svg.plain_log(axes.xaxis)
    svg.plain_log(axes.yaxis)
    axes.set_xlabel("rows seen")
    axes.set_ylabel("MB: parameters and memory")
    return svg.to_svg(figure, "cost-memory", "Megabytes of parameters and replay memory over the rows seen")
