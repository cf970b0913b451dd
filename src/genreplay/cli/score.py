"""``genreplay score`` and ``genreplay explain``: how unusual rows are, and which columns make them so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import numpy.typing as npt

from genreplay.cli import models
from genreplay.cli.errors import clean_exits
from genreplay.cli.models import Saved, model_option
from genreplay.cli.output import Output
from genreplay.cli.rows import reading, reading_options, typed_rows, with_ignored
from genreplay.streams.chunks import Chunk

ignore_option = click.option(
    "--ignore", "ignored", metavar="COLUMN", multiple=True, help="Leave out a column of the input; may be repeated."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON lines in place of CSV.")
alarms_option = click.option("--alarms", is_flag=True, help="Print only rows that raise an alarm.")

_FINDING = ("column", "cell", "nats")
"""what ``explain`` prints about a column"""


class _Judged(NamedTuple):
    """Rows of a chunk that are to be printed."""

    chunk: Chunk
    rows: list[int]
    cells: npt.NDArray[Any]
    verdicts: list[tuple[float, float, bool | None]]


@click.command()
@reading_options
@model_option
@ignore_option
@alarms_option
@json_option
@clean_exits
def score(path: Path, ignored: tuple[str, ...], alarms: bool, as_json: bool, **where: Any) -> None:
    """Print how unusual the rows of FILE, or of a pipe, are. Nothing is learned.

    For each row: its number; anomaly, which is minus the logarithm of the p-value and high for unusual rows; p_value,
    how often a usual row would be as surprising; and alarm, true where the p-value is at most the contamination of the
    model.
    """
    saved = models.load_ready(path)
    output = Output(["row", "anomaly", "p_value", "alarm"], as_json)
    for part in _judge(saved, ignored, alarms, where):
        output.write((row, *verdict) for row, verdict in zip(part.rows, part.verdicts, strict=True))


@click.command()
@reading_options
@model_option
@ignore_option
@alarms_option
@click.option("--top", default=3, show_default=True, type=click.IntRange(1), help="Columns to name for each row.")
@json_option
@clean_exits
def explain(path: Path, ignored: tuple[str, ...], alarms: bool, top: int, as_json: bool, **where: Any) -> None:
    """Print which columns make the rows of FILE, or of a pipe, surprising.

    For each row: its number, anomaly and p-value, then the most surprising columns, each with its name, its cell, and
    how surprising the cell is given the rest of the row, in nats.
    """
    saved = models.load_ready(path)
    names = saved.schema.names
    top = min(top, len(names))
    headings = [f"{what}_{i}" for i in range(1, top + 1) for what in _FINDING]
    output = Output(["row", "anomaly", "p_value", *(["columns"] if as_json else headings)], as_json)
    for part in _judge(saved, ignored, alarms, where):
        nats = saved.model.explain(part.cells)
        places = {row: place for place, row in enumerate(part.chunk.rows)}
        lines: list[Sequence[object]] = []
        for row, verdict, surprise in zip(part.rows, part.verdicts, nats, strict=True):
            found = [
                (names[column], part.chunk.columns[names[column]][places[row]], round(float(surprise[column]), 4))
                for column in np.argsort(-surprise, kind="stable")[:top]
            ]
            if as_json:
                lines.append((row, *verdict[:2], [dict(zip(_FINDING, finding, strict=True)) for finding in found]))
            else:
                lines.append((row, *verdict[:2], *(part for finding in found for part in finding)))
        output.write(lines)


def _judge(saved: Saved, ignored: tuple[str, ...], alarms: bool, where: dict[str, Any]) -> Iterator[_Judged]:
    """Rows with their verdicts, all of them or those that raise an alarm."""
    for chunk, rows in typed_rows(reading(**where), with_ignored(saved.schema, ignored)):
        if len(rows.rows) == 0:
            continue
        verdicts = models.judged(saved.model, saved.model.surprise(rows.cells))
        kept = [i for i, (_, _, alarm) in enumerate(verdicts) if alarm or not alarms]
        if kept:
            yield _Judged(chunk, [rows.rows[i] for i in kept], rows.cells[kept], [verdicts[i] for i in kept])
