"""``genreplay learn``: learn a model from a table, or from a pipe of any length."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from genreplay.cli import models, progress
from genreplay.cli.carry import carry_options, carrying
from genreplay.cli.errors import clean_exits
from genreplay.cli.keyed_options import Keyed, keyed_options
from genreplay.cli.learning import Learning, Plan
from genreplay.cli.lock import writing
from genreplay.cli.models import MAX_SEED, Saved, optional_model_option
from genreplay.cli.output import escape_option, style, write
from genreplay.cli.rows import BadRows, Reading, reading, reading_options, same_file, with_ignored
from genreplay.cli.settings import REPLAYS, Settings, default
from genreplay.cli.stop import Stop
from genreplay.cli.watch import Watch
from genreplay.core import checkpoint
from genreplay.core.ingredient import MOST_PASSES, MOST_ROWS
from genreplay.core.kernels.choice import numba_later
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.plain_detector import Detector
from genreplay.formatting import size
from genreplay.streams.schema import Schema


class _Finite(click.FloatRange):
    """A range of finite numbers: no infinity, no NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        return number if math.isfinite(number) else self.fail(f"{value} is not a finite number.", param, ctx)


@click.command()
@reading_options
@optional_model_option
@keyed_options
@click.option("--resume", is_flag=True, help="Continue with the same input: rows that the model has read are skipped.")
@click.option("--more", is_flag=True, help="Continue with another input, from its first row.")
@click.option("--force", is_flag=True, help="Start a new model, even if the file exists.")
@click.option(
    "--time",
    metavar="COLUMN",
    help="The rows are a time series, in the order of this column: times in ISO 8601, or seconds or milliseconds since "
    "1970. Each row is judged by those before it.",
)
@click.option(
    "--schema",
    "schema_file",
    metavar="TOML",
    type=click.Path(dir_okay=False, path_type=Path),
    help='Kinds of columns, such as age = "number" under [columns]; those not named are inferred.',
)
@click.option("--ignore", "ignored", metavar="COLUMN", multiple=True, help="Leave a column out; may be repeated.")
@click.option(
    "--hidden",
    type=click.IntRange(1, MOST_ROWS),
    help=f"Hidden units of a new model.  {default('hidden')}",
)
@click.option(
    "--warm-up",
    metavar="N",
    type=click.IntRange(1, 1_000_000),
    help=f"First rows of a new model, which fix the codes of its columns.  {default('warm_up')}",
)
@click.option(
    "--bins",
    metavar="N",
    type=click.IntRange(1, 243),
    help="Intervals of each number of a new model: of equal width in its usual range, or, with --time, narrow near its "
    f"median.  {default('bins')}",
)
@click.option(
    "--epochs",
    type=click.IntRange(1, MOST_PASSES),
    help=f"Passes over each batch of a new model; more of them learn more from few rows.  {default('epochs')}",
)
@click.option(
    "--learning-rate",
    type=_Finite(0, min_open=True),
    help=f"Size of the steps of a new model.  {default('learning_rate')}",
)
@click.option(
    "--replay",
    type=click.Choice(list(REPLAYS)),
    help="What a new model rehearses beside new rows: nothing, or its dreams, which forgets old rows more slowly.  "
    f"{default('replay')}",
)
@click.option(
    "--seed", type=click.IntRange(0, MAX_SEED), help=f"Seed of everything random in a new model.  {default('seed')}"
)
@click.option(
    "--contamination",
    metavar="P",
    type=_Finite(0, 0.5, min_open=True),
    help=f"Highest p-value at which a row raises an alarm, without --time.  [default: {Detector().contamination:g}]",
)
@click.option(
    "--threshold",
    metavar="A",
    type=_Finite(0, min_open=True),
    help=f"Lowest anomaly at which a row raises an alarm, with --time.  [default: {Deviations().threshold:g}]",
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
@click.option(
    "--score",
    is_flag=True,
    help="Print how surprising each row was before it was learned: with --time its anomaly, whether it raised an "
    "alarm, and the column that deviates most.",
)
@carry_options
@click.option(
    "--on-drift",
    type=click.Choice(["nothing", "faster", "fewer-dreams"]),
    help="What to do when new rows no longer fit: only report it, or, for 20 updates, learn faster or rehearse fewer "
    "dreams.  [default: nothing]",
)
@click.option("--watch", is_flag=True, help="Show what the model learns while it learns, on a terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print scores as JSON lines, or, without them, the summary.")
@escape_option
@click.option("--quiet", is_flag=True, help="Print only errors on stderr.")
@clean_exits
def learn(
    path: Path | None,
    keyed: Keyed,
    resume: bool,
    more: bool,
    force: bool,
    time: str | None,
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
    threshold: float | None,
    checkpoint_rows: int | None,
    checkpoint_seconds: float,
    score: bool,
    keep: tuple[str, ...],
    append: bool,
    on_drift: str | None,
    watch: bool,
    as_json: bool,
    escape_formulas: bool,
    quiet: bool,
    **where: Any,
) -> None:
    """Learn the rows of FILE, or of a pipe, one after the other, in fixed memory.

    CSV, TSV and NDJSON, also compressed by gzip; npy, npz and Parquet. What the columns hold is inferred from the first
    500 rows, or read from a TOML file. Interrupt it at any time: the current update is finished and the model saved.

    Example of a time series: genreplay learn sensor.csv --model m --time timestamp --score
    """
    if resume + more + force > 1:
        raise click.UsageError("--resume, --more and --force exclude each other.")
    if (keep or append) and not score:
        raise click.UsageError("--keep and --append print columns beside the scores: add --score.")
    if escape_formulas and not score:
        raise click.UsageError("--escape-formulas is for the CSV of the scores: add --score.")
    carried, written = carrying(keep, append), style(as_json, escape_formulas)
    settings = Settings(
        time, hidden, warm_up, bins, epochs, learning_rate, replay, seed, contamination, threshold, on_drift
    )
    if keyed:
        if path is not None or watch:
            raise click.UsageError(
                "--by makes a model for each key, in the folder --models: leave out --model and --watch."
            )
        from genreplay.cli.keyed import KeyedPlan, learn_by

        by, folder = keyed.checked(score)
        by_kinds = _given(schema_file, (*ignored, by), time)
        carried = carried if append else replace(carried, keep=tuple(dict.fromkeys((by, *carried.keep))))
        keyed_plan = KeyedPlan(
            reading(**where),
            by,
            folder,
            settings,
            by_kinds,
            keyed.prior,
            keyed.jobs,
            keyed.memory * 1_000_000,
            checkpoint_rows,
            checkpoint_seconds,
            score,
            keyed.out,
            carried,
            written,
        )
        how = "resume" if resume else "more" if more else "force" if force else None
        return learn_by(keyed_plan, how, progress.choose(quiet), as_json)
    if path is None:
        raise click.MissingParameter(param_hint="'--model' / '-m'", param_type="option")
    _check_place(path, {"input": where["source"], "schema": schema_file, "quarantine": where["quarantine"]})
    with writing(path):
        checkpoint.remove_leftovers(path)
        given = _given(schema_file, ignored, time)
        saved = None
        if path.exists() and not force:
            if not (resume or more):
                raise click.UsageError(
                    f"{path} exists: use --resume to go on with the same input, --more to learn another, or --force to "
                    "start anew."
                )
            saved = _with_columns(settings.continued(models.load(path)), given, ignored)
        else:
            settings.start()  # before anything is read, it refuses options that mean nothing
        account_of_file = saved.account if saved else None
        if more and saved is not None:
            account = replace(saved.account, input_number=saved.account.input_number + 1)
            saved = saved._replace(account=replace(account, n_read_of_input=0, first_record="", last_records=""))

        plan = Plan(
            reading(**where), path, settings, given, checkpoint_rows, checkpoint_seconds, score, carried, written
        )
        continued_after = saved.account.n_read_of_input if saved is not None and resume else None
        with (
            progress.choose(quiet, Watch if watch else progress.Line) as display,
            BadRows(plan.reading, continued_after) as bad_rows,
        ):
            learning = Learning(
                plan, saved, display, bad_rows, account_of_file
            )  # may wait for a named pipe, and be interrupted then
            try:
                with Stop() as stop, numba_later() if _only_wait(saved, plan.reading) else nullcontext():
                    learning.run(stop)
            finally:
                if learning.saved is not None and not quiet:
                    display.say(_summary(learning, path if learning.is_kept else None))
        if as_json and not score and learning.saved is not None:
            noted = learning.teaching
            renewals = [renewal._asdict() for renewal in noted.renewals]
            write(json.dumps({**_figures(learning), "drift_rows": noted.drift_rows, "renewals": renewals}) + "\n")


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


def _given(schema_file: Path | None, ignored: Sequence[str], time: str | None) -> Schema | None:
    """The kinds of columns that the options name."""
    kinds = dict(Schema.from_toml(schema_file).kinds) if schema_file else {}
    kinds |= dict.fromkeys(ignored, "ignore")
    if time is not None and kinds.setdefault(time, "timestamp") != "timestamp":
        raise click.UsageError(f"--time names the column {time!r}, which is given as {kinds[time]!r}, not as times.")
    return Schema(kinds) if kinds else None


def _with_columns(saved: Saved, given: Schema | None, ignored: Sequence[str]) -> Saved:
    """A saved model with further columns to ignore; kinds may be repeated, but not changed."""
    for name, kind in (given.kinds if given else {}).items():
        if kind != "ignore" and saved.schema.kinds.get(name) != kind:
            raise click.UsageError(f"The model does not know column {name!r} as {kind}: its columns cannot change.")
    return saved._replace(schema=with_ignored(saved.schema, ignored))


def _only_wait(saved: Saved | None, reading: Reading) -> bool:
    """Whether the rows of an input are too few for an update.

    Until the next one, the model keeps their codes, and of a series their surprise, which is rounded: NumPy and the
    compiled loops give the same.
    """
    if saved is None or not saved.model.is_ready_:
        return False
    n = reading.most_rows
    return n is not None and saved.model.n_waiting_ + n < models.settings(saved.model).batch_size


def _figures(learning: Learning) -> dict[str, int]:
    assert learning.saved is not None
    account, model, has_rows = learning.saved.account, learning.saved.model, learning.saved.has_rows
    n_alarms = learning.teaching.n_alarms
    return {
        "read": account.n_read,
        "learned": model.n_learned_ if has_rows else 0,
        "waiting": model.n_waiting_ if has_rows else 0,
        "skipped": account.n_skipped,
        "read_now": learning.n_read,
        "updates": model.n_updates_ if has_rows else 0,
        "drifts": model.drift_.n_drifts if has_rows else 0,
        "bytes": model.nbytes.total if has_rows else 0,
        **({} if n_alarms is None else {"alarms_now": n_alarms}),
    }


def _summary(learning: Learning, path: Path | None) -> str:
    figures = _figures(learning)
    of_these = "" if figures["read"] == learning.n_read else f" ({learning.n_read:,} of them now)"
    drifts = f" Drifts noticed: {figures['drifts']:,}." if figures["drifts"] else ""
    alarms = f" Alarms: {figures['alarms_now']:,}{' now' if of_these else ''}." if "alarms_now" in figures else ""
    counted = (
        f"Read {figures['read']:,} rows{of_these}: {figures['learned']:,} learned, {figures['waiting']:,} waiting, "
        f"{figures['skipped']:,} skipped.{alarms}"
    )
    if path is None:
        return f"{counted} No model is saved: correct what is wrong, and start again."
    return f"{counted} Updates: {figures['updates']:,}. Model: {path}, {size(figures['bytes'])} in memory.{drifts}"
