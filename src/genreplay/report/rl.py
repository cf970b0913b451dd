"""The page on reinforcement learning: returns of DQN by what its buffer holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.experiments.results import Results
from genreplay.experiments.rl import BUFFERS, ENVIRONMENTS, IDEAS, KINDS
from genreplay.experiments.rl.run import N_LAST
from genreplay.experiments.runner import Record
from genreplay.formatting import listed, number, percent, size
from genreplay.report import svg
from genreplay.report.section import Finding, finding

ENOUGH = 0.9
"""share of the full buffer's return that dreams should reach"""
TITLES = {"full": "all stored", "generative": "dreams", "same bytes": "stored, same bytes", "1 %": "stored, 1 %"}
INKS = {"full": "er-im", "generative": "ocd-gr", "same bytes": "er-ml", "1 %": "no-replay"}
MARKERS = {"full": "s", "generative": "o", "same bytes": "^", "1 %": "x"}


class Row(NamedTuple):
    """A buffer in an environment, in the mean over seeds."""

    title: str
    mean: float
    """return at the end"""
    deviation: float | None
    """over seeds; None for a single one"""
    share: float | None
    """of the return of the full buffer; None where that was not run or is not positive"""
    held: str
    n_stored: int
    """transitions that are held as they came"""
    seconds: float
    n_seeds: int


class World(NamedTuple):
    """An environment."""

    name: str
    n_steps: int
    rows: list[Row]
    records: dict[str, list[Record]]
    """by buffer"""
    ends: float | None
    """share of dreams with the right reward and end, at the end"""
    true: float | None
    """share of dreams that are right in all"""

    @property
    def picture(self) -> Markup:
        return _draw(self.name, self.records)


class Idea(NamedTuple):
    """An idea, and the shares of right endings by kind of step."""

    title: str
    shares: list[float]


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    worlds: list[World]
    inks: dict[str, str]
    """by title"""
    n_last: int
    ideas: list[Idea]
    kinds: tuple[str, ...]


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    found, tried = worlds(results), ideas(results)
    if not found and not tried:
        return None
    inks = {TITLES[buffer]: INKS[buffer] for buffer in BUFFERS}
    return Content(sentences(found), found, inks, N_LAST, tried, KINDS)


def ideas(results: Results) -> list[Idea]:
    """Every idea that was run, in the mean over seeds."""
    found = []
    for idea, title in IDEAS.items():
        records = results.find("rl", idea=idea)
        if records:
            shares = [float(np.mean([record["figures"]["right"][kind] for record in records])) for kind in KINDS]
            found.append(Idea(title, shares))
    return found


def worlds(results: Results) -> list[World]:
    """Every environment that was run."""
    found = []
    for name in ENVIRONMENTS:
        records = {buffer: results.find("rl", environment=name, buffer=buffer) for buffer in BUFFERS}
        records = {buffer: each for buffer, each in records.items() if each}
        if records:
            full = records.get("full")
            whole = _mean(full, "return") if full else None
            rows = [_row(TITLES[buffer], each, whole) for buffer, each in records.items()]
            n_steps = next(iter(records.values()))[0]["figures"]["steps"][-1]
            dreams = [record["figures"]["true"][-1] for record in records.get("generative", [])]
            ends, true = (
                float(np.mean([each[part] for each in dreams])) if dreams else None for part in ("ends", "all")
            )
            found.append(World(name, n_steps, rows, records, ends, true))
    return found


def sentences(found: Sequence[World]) -> list[str]:
    """The page in a few sentences made from its figures."""
    said = []
    for world in found:
        returns = listed(f"{row.title} {number(row.mean, 2)} ({row.held})" for row in world.rows)
        said.append(f"{world.name}, {world.n_steps:,} steps: {returns}.")
        if world.true is not None and world.ends is not None:
            said.append(
                f"{world.name}: of the dreams at the end, {percent(world.ends)} have the reward and the end that the "
                f"environment would give, and {percent(world.true)} the next observation, too."
            )
    return said


def findings(results: Results) -> Iterator[Finding]:
    """Whether dreams reach 90 % of the full buffer's return, and what a stored buffer of the same bytes reaches."""
    for world in worlds(results):
        rows = {row.title: row for row in world.rows}
        dreams, full, same = (rows.get(TITLES[buffer]) for buffer in ("generative", "full", "same bytes"))
        if dreams is None or full is None:
            continue
        beside = "" if same is None else f", {number(same.mean, 2)} with the newest ones in as many bytes"
        yield finding(
            dreams.mean >= full.mean - (1 - ENOUGH) * abs(full.mean),  # a return may be negative
            f"DQN learns {world.name} from dreams",
            f"DQN does not learn {world.name} from dreams as well as from stored transitions",
            f"The return after {world.n_steps:,} steps is {number(dreams.mean, 2)} with dreams ({dreams.held}), "
            f"{number(full.mean, 2)} with all transitions stored ({full.held}){beside}.",
        )


def table(results: Results) -> str:
    """The returns in Markdown."""
    lines = ["| environment | buffer | return at the end | of the full buffer's | bytes |", "|---|---|---:|---:|---:|"]
    for world in worlds(results):
        for row in world.rows:
            spread = "" if row.deviation is None else f" ± {number(row.deviation, 2)}"
            share = "" if row.share is None else percent(row.share)
            lines.append(f"| {world.name} | {row.title} | {number(row.mean, 2)}{spread} | {share} | {row.held} |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def _mean(records: Sequence[Record], figure: str) -> float:
    return float(np.mean([record["figures"][figure] for record in records]))


def _row(title: str, records: Sequence[Record], full: float | None) -> Row:
    returns = [record["figures"]["return"] for record in records]
    mean = float(np.mean(returns))
    return Row(
        title,
        mean,
        float(np.std(returns, ddof=1)) if len(returns) > 1 else None,
        mean / full if full is not None and full > 0 else None,
        size(round(_mean(records, "bytes"))),
        round(_mean(records, "n_stored")),
        _mean(records, "seconds"),
        len(records),
    )


def _draw(name: str, records: dict[str, list[Record]]) -> Markup:
    """Returns over steps: means over seeds, and the range of all seeds."""
    figure, axes = svg.panel(3.9, 2.8)
    for buffer, each in records.items():
        steps = np.array(each[0]["figures"]["steps"]) / 1_000
        returns = np.array([record["figures"]["returns"] for record in each])
        ink = svg.INKS[INKS[buffer]]
        axes.fill_between(steps, returns.min(axis=0), returns.max(axis=0), color=ink, alpha=0.15, linewidth=0)
        axes.plot(steps, returns.mean(axis=0), color=ink, marker=MARKERS[buffer], markersize=3.5)
    axes.set(xlabel="steps, thousands", ylabel="return")
    return svg.to_svg(figure, f"rl-{name.lower()}", f"Returns of DQN in {name} over steps, by what its buffer holds.")
