"""The page on regimes: alarms when one returns and when a new one comes to stay, by what is rehearsed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.datasets.regimes import NEW, RARE
from genreplay.experiments.regimes import N_BLOCK, NOMINAL, REPLAYS
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record
from genreplay.formatting import fine_percent, size
from genreplay.report import svg

REPLAY_TITLES = {
    "none": "nothing",
    "dreams": "dreams",
    "reservoir": "reservoir of rows",
}
REGIME_INKS = {"A": "class-2", "B": "class-5", RARE: "class-8", NEW: "class-9"}
"""the ink of each regime on the time line"""


class Row(NamedTuple):
    """What is rehearsed, and the shares of alarms in the first rows of a visit, averaged over visits and seeds."""

    title: str
    often: float | None
    """of the regimes that return often; None where none returns"""
    rare: float | None
    """of the regime that returns rarely"""
    stay: list[float]
    """of the regime that stays, block by block"""
    replay_bytes: str


class Panel(NamedTuple):
    """The time line of one way of rehearsal."""

    title: str
    picture: Markup


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    rows: list[Row]
    panels: list[Panel]
    missing: list[str]
    """ways of rehearsal that were not run"""
    inks: dict[str, str]
    n_block: int
    """rows of a block"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    found = _find(results)
    if not found:
        return None
    highest = max(share or 0 for records in found.values() for share in _time_line(records))
    return Content(
        sentences(results),
        table(results),
        [Panel(REPLAY_TITLES[replay], _draw(records, replay, highest)) for replay, records in found.items()],
        [REPLAY_TITLES[replay] for replay in REPLAYS if replay not in found],
        REGIME_INKS,
        N_BLOCK,
    )


def table(results: Results) -> list[Row]:
    """A row for each way of rehearsal that was run."""
    return [
        Row(
            REPLAY_TITLES[replay],
            _at_returns(records, rare=False),
            _at_returns(records, rare=True),
            np.mean([record["figures"]["stay"] for record in records], axis=0).tolist(),
            size(max(record["figures"]["replay_bytes"] for record in records)),
        )
        for replay, records in _find(results).items()
    ]


def sentences(results: Results) -> list[str]:
    """The page in a few sentences made from its figures."""
    rows = table(results)
    if not rows:
        return []
    nominal = fine_percent(NOMINAL)
    said = []
    if all(row.often is not None for row in rows):
        often = ", ".join(f"{row.title} {fine_percent(row.often or 0)}" for row in rows)
        said.append(f"Alarms in the first {N_BLOCK} rows when a frequent regime returns (nominal {nominal}): {often}.")
    if all(row.rare is not None for row in rows):
        rare = ", ".join(f"{row.title} {fine_percent(row.rare or 0)}" for row in rows)
        said.append(f"The same for the rare regime: {rare}.")
    stay = ", ".join(f"{row.title} {fine_percent(row.stay[0])}, then {fine_percent(row.stay[-1])}" for row in rows)
    n_rows = N_BLOCK * len(rows[0].stay)
    said.append(
        f"Alarms in the first {N_BLOCK} rows of the new regime, and in the last {N_BLOCK} of {n_rows:,}: {stay}."
    )
    return said


def _find(results: Results) -> dict[str, list[Record]]:
    found = {replay: results.find("regimes", replay=replay) for replay in REPLAYS}
    return {replay: records for replay, records in found.items() if records}


def _at_returns(records: Sequence[Record], rare: bool) -> float | None:
    shares = [
        each["alarms"]
        for record in records
        for each in record["figures"]["returns"]
        if (each["regime"] == RARE) == rare and each["alarms"] is not None
    ]
    return float(np.mean(shares)) if shares else None


def _time_line(records: Sequence[Record]) -> list[float | None]:
    """The shares of alarms by block, averaged over seeds; None where rows have no score yet."""
    by_block = zip(*(record["figures"]["alarm_shares"] for record in records), strict=True)
    return [None if None in shares else float(np.mean(shares)) for shares in by_block]


def _draw(records: Sequence[Record], replay: str, highest: float) -> Markup:
    """A bar for each block of rows, in the ink of its regime; a square root as axis, so that small shares show."""
    figure, axes = svg.panel(3.7, 2.3)
    visits = records[0]["figures"]["visits"]
    blocks = {first // N_BLOCK + n: name for name, first, n_rows in visits for n in range(n_rows // N_BLOCK)}
    for block, share in enumerate(_time_line(records)):
        if share is not None:
            ink = svg.INKS[REGIME_INKS.get(blocks[block], "no-replay")]
            axes.bar((block + 0.5) * N_BLOCK / 1_000, share, 0.9 * N_BLOCK / 1_000, color=ink, linewidth=0)
    axes.axhline(NOMINAL, color=svg.INKS["ink"], linestyle=":", linewidth=1.2)
    axes.set_yscale("function", functions=(np.sqrt, np.square))
    ticks = [tick for tick in (0.01, 0.05, 0.2, 0.5, 1.0) if tick <= max(highest, 0.05)]
    axes.set_yticks(ticks, [f"{100 * tick:.0f}" for tick in ticks])
    axes.set_ylim(0, max(highest, 0.05) * 1.05)
    axes.set_xlim(0, len(blocks) * N_BLOCK / 1_000)
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("rows, thousands")
    axes.set_ylabel("alarms, %")
    label = f"Alarms along the stream, rehearsing {REPLAY_TITLES[replay]}"
    return svg.to_svg(figure, f"regimes-{replay}", label)
