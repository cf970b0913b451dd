"""``genreplay sample`` and ``genreplay impute``: new rows from a model, and missing cells filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt

from genreplay.cli import models
from genreplay.cli.carry import split_names
from genreplay.cli.errors import BadInput, clean_exits
from genreplay.cli.models import MAX_SEED, model_option
from genreplay.cli.output import Output, escape_option, style
from genreplay.cli.rows import reading, reading_options, typed_rows, with_ignored
from genreplay.cli.score import ignore_option, json_option
from genreplay.core.kernels.choice import numba_later
from genreplay.streams.chunks import ROWS_PER_CHUNK, Chunk, listed, short
from genreplay.streams.columns import is_missing
from genreplay.streams.schema import Schema, TypedRows

seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, MAX_SEED), help="Seed of everything random."
)


@click.command()
@model_option
@click.option("-n", "n_rows", default=10, show_default=True, type=click.IntRange(1), help="Rows to generate.")
@seed_option
@json_option
@escape_option
@clean_exits
@numba_later()
def sample(path: Path, n_rows: int, seed: int, as_json: bool, escape_formulas: bool) -> None:
    """Generate rows (dreams) with the columns of the table.

    A number is a typical value of its interval. A time is a time of day, with the day of the week if the model tells
    days apart.
    """
    written = style(as_json, escape_formulas)
    saved = models.load_ready(path)
    output = Output(saved.schema.names, written)
    random = np.random.RandomState(seed)
    for start in range(0, n_rows, ROWS_PER_CHUNK):
        dreams = saved.model.sample(min(ROWS_PER_CHUNK, n_rows - start), random_state=random)
        output.write(np.asarray(dreams, dtype=object))


@click.command()
@reading_options
@model_option
@ignore_option
@click.option("--columns", metavar="COLUMN,...", multiple=True, help="Fill only these columns.  [default: all]")
@seed_option
@json_option
@escape_option
@clean_exits
@numba_later()
def impute(
    path: Path,
    ignored: tuple[str, ...],
    columns: tuple[str, ...],
    seed: int,
    as_json: bool,
    escape_formulas: bool,
    **where: Any,
) -> None:
    """Fill the empty cells of FILE, or of a pipe; the other cells come back as they are.

    A cell stays empty where the model expects that: where, given the other cells of its row, it is more likely missing
    than known.
    """
    written = style(as_json, escape_formulas)
    saved = models.load_ready(path)
    schema = with_ignored(saved.schema, ignored)
    wanted = _places(columns, schema)
    random = np.random.RandomState(seed)
    output = None
    for chunk, rows in typed_rows(reading(**where), schema):
        if chunk.columns and output is None:
            output = Output(list(chunk.columns), written)
        if output is not None and len(rows.rows):
            filled = saved.model.impute(rows.cells, columns=wanted, random_state=random)
            output.write(_put_back(chunk, rows, filled, schema, as_json))


def _places(columns: Sequence[str], schema: Schema) -> list[int] | None:
    """Places of the columns that --columns names, or None for all."""
    if not columns:
        return None
    names = [name for text in columns for name in split_names(text)]
    for name in names:
        if name not in schema.names:
            raise BadInput(
                f"The model has no column {short(name)}, which --columns names: it has {listed(schema.names)}."
            )
    return [schema.names.index(name) for name in names]


def _put_back(
    chunk: Chunk, rows: TypedRows, filled: npt.NDArray[Any], schema: Schema, typed: bool
) -> Iterator[list[object]]:
    """The cells of the input as they came, or as typed values for JSON, with the empty ones filled."""
    places = {row: place for place, row in enumerate(chunk.rows)}
    column_of = {name: column for column, name in enumerate(schema.names)}
    for i, row in enumerate(rows.rows):
        cells: list[object] = []
        for name, column in chunk.columns.items():
            cell = column[places[row]]
            if name in column_of:
                new = filled[i, column_of[name]]
                is_filled = is_missing(cell) and (typed or not is_missing(new))
                if is_filled or (typed and schema.kinds[name] in ("number", "boolean")):
                    cell = new
            cells.append(cell)
        yield cells
