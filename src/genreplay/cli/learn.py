"""``genreplay learn``: learn a model from a table, or from a pipe of any length."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from genreplay.cli import models, progress
from genreplay.cli.carry import carry_options, carrying
from genreplay.cli.errors import clean_exits
from genreplay.cli.learning import Learning, Plan
from genreplay.cli.models import MAX_SEED, Saved, model_option
from genreplay.cli.output import write
from genreplay.cli.rows import BadRows, reading, reading_options, same_file, with_ignored
from genreplay.cli.stop import Stop
from genreplay.cli.watch import Watch
from genreplay.core import checkpoint
from genreplay.core.grouped import Dreams, Nothing, Rehearsed, TableRBM
from genreplay.estimators import OnlineRBMDetector
from genreplay.formatting import size
from genreplay.streams.encoder import TableEncoder
from genreplay.streams.schema import Schema

DEFAULTS = TableRBM()
REPLAYS: Mapping[str, Rehearsed] = {"none": Nothing(), "dreams": Dreams()}
"""by the word on the command line"""


class _Finite(click.FloatRange):
    """A range of finite numbers: no infinity, no NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        return number if math.isfinite(number) else self.fail(f"{value} is not a finite number.", param, ctx)


@click.command()
@reading_options
@model_option
@click.option("--resume", is_flag=True, help="Continue with the same input: rows that the model has read are skipped.")
@click.option("--more", is_flag=True, help="Continue with another input, from its first row.")
@click.option("--force", is_flag=True, help="Start a new model, even if the file exists.")
@click.option(
    "--schema",
    "schema_file",
    metavar="TOML",
    type=click.Path(dir_okay=False, path_type=Path),
    help='Kinds of columns, such as age = "number" under [columns]; those not named are inferred.',
)
@click.option("--ignore", "ignored", metavar="COLUMN", multiple=True, help="Leave a column out; may be repeated.")
@click.option(
    "--hidden", type=click.IntRange(1, 1_000_000), help=f"Hidden units of a new model.  [default: {DEFAULTS.n_hidden}]"
)
@click.option(
    "--warm-up",
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    help="First rows of a new model, which fix the codes of its columns.  [default: 500]",
)
@click.option(
    "--bins",
    metavar="N",
    type=click.IntRange(1, 243),
    help="Intervals of equal width in the usual range of each number of a new model.  [default: 8]",
)
@click.option(
    "--epochs",
    type=click.IntRange(1),
    help="Passes over each batch of a new model; more of them learn more from few rows.  "
    f"[default: {DEFAULTS.n_epochs}]",
)
@click.option(
    "--learning-rate",
    type=_Finite(0, min_open=True),
    help=f"Size of the steps of a new model.  [default: {DEFAULTS.learning_rate:g}]",
)
@click.option(
    "--replay",
    type=click.Choice(list(REPLAYS)),
    help="What a new model rehearses beside new rows: nothing, or its dreams, which forgets old rows more slowly.  "
    "[default: dreams]",
)
@click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), help="Seed of everything random in a new model.  [default: 0]"
)
@click.option(
    "--contamination",
    metavar="P",
    type=_Finite(0, 0.5, min_open=True),
    help="Highest p-value at which a row raises an alarm.  [default: 0.01]",
)
@click.option("--checkpoint-rows", metavar="N", type=click.IntRange(1), help="Save after every N rows, too.")
@click.option(
    "--checkpoint-seconds",
    metavar="S",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="Save after every S seconds.",
)
@click.option("--score", is_flag=True, help="Print how surprising each row was before it was learned.")
@carry_options
@click.option(
    "--on-drift",
    type=click.Choice(["nothing", "faster", "fewer-dreams"]),
    help="What to do when new rows no longer fit: only report it, or, for 20 updates, learn faster or rehearse fewer "
    "dreams.  [default: nothing]",
)
@click.option("--watch", is_flag=True, help="Show what the model learns while it learns, on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print scores as JSON lines, or, without them, the summary.")
@click.option("--quiet", is_flag=True, help="Print only errors on stderr.")
@clean_exits
def learn(
    path: Path,
    resume: bool,
    more: bool,
    force: bool,
    schema_file: Path | None,
    ignored: tuple[str, ...],
    hidden: int | None,
    warm_up: int | None,
    bins: int | None,
    epochs: int | None,
    learning_rate: float | None,
    replay: str | None,
    seed: int | None,
    contamination: float | None,
    checkpoint_rows: int | None,
    checkpoint_seconds: float,
    score: bool,
    keep: tuple[str, ...],
    append: bool,
    on_drift: str | None,
    watch: bool,
    as_json: bool,
    quiet: bool,
    **where: Any,
) -> None:
    """Learn the rows of FILE, or of a pipe, one after the other, in fixed memory.

    CSV, TSV and NDJSON, also compressed by gzip; npy, npz and Parquet. What the columns hold is inferred from the first
    500 rows, or read from a TOML file. Interrupt it at any time: the current update is finished and the model saved.
    """
    if resume + more + force > 1:
        raise click.UsageError("--resume, --more and --force exclude each other.")
    if (keep or append) and not score:
        raise click.UsageError("--keep and --append print columns beside the scores: add --score.")
    carried = carrying(keep, append)
    _check_place(path, {"input": where["source"], "schema": schema_file, "quarantine": where["quarantine"]})
    checkpoint.remove_leftovers(path)
    given = _given(schema_file, ignored)
    saved = None
    if path.exists() and not force:
        if not (resume or more):
            raise click.UsageError(
                f"{path} exists: use --resume to go on with the same input, --more to learn another, or --force to "
                "start anew."
            )
        built: dict[str, float | str | None] = {
            "hidden": hidden,
            "warm-up": warm_up,
            "bins": bins,
            "epochs": epochs,
            "learning-rate": learning_rate,
            "replay": replay,
            "seed": seed,
        }
        changes = {"contamination": contamination, "on_drift": on_drift}
        saved = _continued(models.load(path), built, changes, given, ignored)
    account_of_file = saved.account if saved else None
    if more and saved is not None:
        account = replace(saved.account, input_number=saved.account.input_number + 1)
        saved = saved._replace(account=replace(account, n_read_of_input=0, first_record=""))

    rehearsed = REPLAYS[replay or "dreams"] if saved is None else models.settings(saved.model).replay
    if on_drift == "fewer-dreams" and not isinstance(rehearsed, Dreams):
        raise click.UsageError(
            "--on-drift fewer-dreams needs a model with --replay dreams: this one rehearses no dreams."
        )

    def start(schema: Schema) -> OnlineRBMDetector:
        settings = _without_none(n_hidden=hidden, n_epochs=epochs, learning_rate=learning_rate)
        return OnlineRBMDetector(
            TableEncoder(kinds=schema.kinds_by_place, **_without_none(warm_up=warm_up, n_bins=bins)),
            TableRBM(**settings, replay=rehearsed),
            **_without_none(contamination=contamination, on_drift=on_drift),
            random_state=seed or 0,
        )

    plan = Plan(reading(**where), path, start, given, checkpoint_rows, checkpoint_seconds, score, carried, as_json)
    with progress.choose(quiet, Watch if watch else progress.Line) as display, BadRows(plan.reading) as bad_rows:
        learning = Learning(
            plan, saved, display, bad_rows, account_of_file
        )  # may wait for a named pipe, and be interrupted then
        try:
            with Stop() as stop:
                learning.run(stop)
        finally:
            if learning.saved is not None and not quiet:
                display.say(_summary(learning.saved, learning.n_read, path if learning.is_kept else None))
    if as_json and not score and learning.saved is not None:
        noted = {"drift_rows": learning.drift_rows, "renewals": [renewal._asdict() for renewal in learning.renewals]}
        write(json.dumps({**_figures(learning.saved, learning.n_read), **noted}) + "\n")


def _without_none(**settings: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in settings.items() if value is not None}


def _check_place(path: Path, others: Mapping[str, Path | str | None]) -> None:
    """Check before hours of learning that the model can be written there and overwrites no other file."""
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise click.UsageError(f"There is no folder {folder} for the model.")
    if not os.access(folder, os.W_OK):
        raise click.UsageError(f"The folder {folder} cannot be written to: the model needs another.")
    if path.exists() and not path.is_file():
        raise click.UsageError(f"{path} is not a regular file, and cannot become a model.")
    for what, other in others.items():
        if other is not None and other != "-" and same_file(path, other):
            raise click.UsageError(f"The model and the {what} must not be the same file, {path}.")


def _given(schema_file: Path | None, ignored: Sequence[str]) -> Schema | None:
    kinds = dict(Schema.from_toml(schema_file).kinds) if schema_file else {}
    kinds |= dict.fromkeys(ignored, "ignore")
    return Schema(kinds) if kinds else None


def _continued(
    saved: Saved,
    settings: Mapping[str, float | str | None],
    changes: Mapping[str, object],
    given: Schema | None,
    ignored: Sequence[str],
) -> Saved:
    """A saved model that will learn more. The settings it was made with may be repeated, but not changed."""
    model, rbm = saved.model, models.settings(saved.model)
    built = {
        "hidden": rbm.n_hidden,
        "warm-up": model.encoder_.warm_up,
        "bins": model.encoder_.n_bins,
        "epochs": rbm.n_epochs,
        "learning-rate": rbm.learning_rate,
        "replay": next((name for name, replay in REPLAYS.items() if replay == rbm.replay), rbm.replay),
        "seed": model.random_state,
    }
    for option, now in settings.items():
        if now is not None and now != built[option]:
            raise click.UsageError(f"The model was made with --{option} {built[option]}, which cannot change.")
    for name, kind in (given.kinds if given else {}).items():
        if kind != "ignore" and saved.schema.kinds.get(name) != kind:
            raise click.UsageError(f"The model does not know column {name!r} as {kind}: its columns cannot change.")
    model.set_params(**_without_none(**changes))
    return saved._replace(schema=with_ignored(saved.schema, ignored))


def _figures(saved: Saved, n_read_now: int) -> dict[str, int]:
    account, model = saved.account, saved.model
    return {
        "read": account.n_read,
        "learned": model.n_learned_ if saved.has_rows else 0,
        "waiting": model.n_waiting_ if saved.has_rows else 0,
        "skipped": account.n_skipped,
        "read_now": n_read_now,
        "updates": model.n_updates_ if saved.has_rows else 0,
        "drifts": model.drift_.n_drifts if saved.has_rows else 0,
        "bytes": model.nbytes.total if saved.has_rows else 0,
    }


def _summary(saved: Saved, n_read_now: int, path: Path | None) -> str:
    figures = _figures(saved, n_read_now)
    of_these = "" if figures["read"] == n_read_now else f" ({n_read_now:,} of them now)"
    drifts = f" Drifts noticed: {figures['drifts']:,}." if figures["drifts"] else ""
    counted = (
        f"Read {figures['read']:,} rows{of_these}: {figures['learned']:,} learned, {figures['waiting']:,} waiting, "
        f"{figures['skipped']:,} skipped."
    )
    if path is None:
        return f"{counted} No model is saved: correct what is wrong, and start again."
    return f"{counted} Updates: {figures['updates']:,}. Model: {path}, {size(figures['bytes'])} in memory.{drifts}"
