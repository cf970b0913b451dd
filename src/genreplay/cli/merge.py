"""``genreplay merge``: one model from the dreams of others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from genreplay.cli import models
from genreplay.cli.errors import BadInput, clean_exits, say
from genreplay.cli.lock import writing
from genreplay.cli.models import MAX_SEED, Account, Saved
from genreplay.cli.output import write
from genreplay.cli.rows import same_file
from genreplay.core import checkpoint
from genreplay.core.ingredient import MOST_ROWS
from genreplay.estimators.plain_detector import Detector
from genreplay.formatting import size

if TYPE_CHECKING:
    from genreplay.estimators.online_rbm import OnlineRBM

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("paths", metavar="MODEL...", nargs=-1, required=True, type=_FILE)
@click.option("--out", "-o", metavar="FILE", required=True, type=_FILE, help="Where to write the new model.")
@click.option(
    "--since",
    metavar="FILE",
    type=_FILE,
    help="The model that all of them went on from: its rows count once, and each model has the share of its new rows.",
)
@click.option(
    "--hidden", type=click.IntRange(1, MOST_ROWS), help="Hidden units.  [default: those of the largest model]"
)
@click.option(
    "--dreams",
    metavar="N",
    type=click.IntRange(1),
    help="Dreams to learn; more fit better, and take longer.  [default: by the number of rows learned]",
)
@click.option(
    "--counts-as",
    metavar="N",
    type=click.IntRange(1),
    help="Rows that the past counts as, beside those to come; few make a start for a new stream.  [default: all]",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, MAX_SEED), help="Seed of everything random."
)
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("--quiet", is_flag=True, help="Print only errors on stderr.")
@clean_exits
def merge(
    paths: tuple[Path, ...],
    out: Path,
    since: Path | None,
    hidden: int | None,
    dreams: int | None,
    counts_as: int | None,
    seed: int,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn one model from the dreams of others, without their rows.

    The models must have the same columns; their codes and sizes may differ. Each has the share of the dreams that it
    has of all rows learned. The new model goes on learning with genreplay learn --more.

    Example of a round: genreplay merge nodes/* --since hub --out next
    """
    for path in (*paths, *([since] if since else [])):
        if same_file(out, path):
            raise click.UsageError(f"The new model must not overwrite {path}, which it is made from.")
    if out.exists() and not force:
        raise click.UsageError(f"{out} exists: use --force to overwrite it.")
    if not out.resolve().parent.is_dir():
        raise click.UsageError(f"There is no folder {out.resolve().parent} for the model.")
    with writing(out):
        checkpoint.remove_leftovers(out)
        if all(_holds(path) == "OnlineRBM" for path in paths):
            if counts_as is not None:
                raise click.UsageError("--counts-as is for models of tables, and these are of bits.")
            n_rows = _merge_rows_of_bits(paths, out, since, hidden, dreams, seed)
        else:
            n_rows = _merge_tables(paths, out, since, hidden, dreams, counts_as, seed)
    n_bytes = sum(path.stat().st_size for path in paths)
    if not quiet:
        say(f"Merged {len(paths)} models, {size(n_bytes)}, that have learned {n_rows:,} rows. Model: {out}.")
    if as_json:
        write(json.dumps({"models": len(paths), "rows": n_rows, "bytes_read": n_bytes, "model": str(out)}) + "\n")


def _holds(path: Path) -> str:
    """What a model file holds."""
    with models.reading(path):
        return str(checkpoint.read(path)[1]["extra"].get("estimator", ""))


def _merge_rows_of_bits(
    paths: Sequence[Path], out: Path, since: Path | None, hidden: int | None, dreams: int | None, seed: int
) -> int:
    from genreplay.estimators import OnlineRBM

    def load(path: Path) -> OnlineRBM:
        with models.reading(path):
            return OnlineRBM.load(path)

    loaded, before = [load(path) for path in paths], load(since) if since else None
    try:
        merged = OnlineRBM.merge(loaded, n_hidden=hidden, n_dreams=dreams, since=before, random_state=seed)
    except ValueError as error:
        raise BadInput(_with_names(str(error), paths)) from error
    merged.save(out)
    return merged.n_rows_seen_


def _merge_tables(
    paths: Sequence[Path],
    out: Path,
    since: Path | None,
    hidden: int | None,
    dreams: int | None,
    counts_as: int | None,
    seed: int,
) -> int:
    saved = [models.load_ready(path) for path in paths]
    before = models.load_ready(since) if since else None
    _check_schemas([*paths, *([since] if since else [])], [*saved, *([before] if before else [])])
    try:
        merged = Detector.merge(
            [each.model for each in saved],
            n_hidden=hidden,
            n_dreams=dreams,
            since=before.model if before else None,
            counts_as=counts_as,
            random_state=seed,
        )
    except ValueError as error:
        raise BadInput(_with_names(str(error), paths)) from error
    times = saved[0].times and saved[0].times._replace(last=None)
    models.save(out, Saved(merged, saved[0].schema, Account(n_read=merged.n_learned_), times))
    return merged.n_learned_


def _check_schemas(paths: Sequence[Path], saved: Sequence[Saved]) -> None:
    """On the command line, columns have their names from the schema."""
    kinds = [{name: each.schema.kinds[name] for name in each.schema.names} for each in saved]
    for path, other in zip(paths[1:], kinds[1:], strict=True):
        if list(other.items()) != list(kinds[0].items()):
            differing = sorted({*other.items()} ^ {*kinds[0].items()})
            what = f"column {differing[0][0]!r}" if differing else "the order of its columns"
            raise BadInput(
                f"{path} differs from {paths[0]} in {what}: only models with the same columns, of the same kinds and "
                "in the same order, can be merged."
            )


def _with_names(text: str, paths: Sequence[Path]) -> str:
    """An error that counts models, with the names of their files."""
    for place in range(len(paths), 0, -1):
        text = text.replace(f"Model {place} ", f"{paths[place - 1]} ").replace(
            f"model {place} ", f"{paths[place - 1]} "
        )
    return text
