"""``genreplay view``: a page of a scored stream."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from genreplay.cli import models
from genreplay.cli.carry import Unseen, carrying
from genreplay.cli.clock import early_remark
from genreplay.cli.errors import clean_exits, say
from genreplay.cli.models import Saved, model_option
from genreplay.cli.progress import EVERY, Pace
from genreplay.cli.rows import Reading, reading, reading_options, same_file, typed_rows, with_ignored
from genreplay.cli.sample import seed_option
from genreplay.cli.score import ignore_option
from genreplay.cli.stop import Stop
from genreplay.report.view.page import Labels, StreamView
from genreplay.report.view.series import SeriesView


@click.command()
@reading_options
@model_option
@click.option(
    "--out",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the page goes, such as page.html.",
)
@ignore_option
@click.option(
    "--keep",
    metavar="COLUMN,...",
    multiple=True,
    help="Show these columns of the input beside each alarm; the first says when a row came. The model need not know "
    "them.",
)
@click.option(
    "--top", type=click.IntRange(1, 1000), help="Alarms to show, the worst of them.  [default: 10, of a time series 50]"
)
@seed_option
@click.option("--quiet", is_flag=True, help="Show no progress.")
@clean_exits
def view(
    path: Path,
    out: Path,
    ignored: tuple[str, ...],
    keep: tuple[str, ...],
    top: int | None,
    seed: int,
    quiet: bool,
    **where: Any,
) -> None:
    """Write a page of the rows of FILE, or of a pipe, scored by a model. Nothing is learned.

    One HTML file that needs no network: how many rows raised an alarm, when, the worst of them with the reasons in
    words, and each column beside the model's dreams. Of a time series: its anomaly, each alarm with its time and the
    reason in words, and a curve for each number; its rows are judged as those that come after the rows that the model
    has learned. The input is read once, in constant memory. Ctrl-C ends the reading, and the page shows the rows until
    then.

    Example: genreplay view today.csv --model m --keep time,id --out page.html
    """
    source = reading(**where)
    _check_output(out, source, path)
    saved = models.load_ready(path)
    carried = carrying(keep, append=False)
    unknown = [name for name in carried.keep if name not in saved.schema.kinds]
    page = _new_page(saved, carried.keep, top, seed)
    unseen, pace = Unseen(carried), Pace(EVERY)
    rows_read = typed_rows(source, with_ignored(saved.schema, [*ignored, *unknown]))
    with Stop() as stop:
        for chunk, rows in rows_read:
            if chunk.columns:
                carried.names(list(chunk.columns), ())
            unseen.note(chunk)
            page.n_skipped += len(rows.bad)
            if len(rows.rows):
                if page.n_rows == 0 and (remark := early_remark(saved, rows.cells)):
                    say(remark)
                    page.remark = remark
                page.add(rows.rows, rows.cells, carried.cells(chunk, rows.rows) if carried else None)
            if stop.requested:
                say(f"Stopped: the page shows {page.n_rows:,} rows.")
                break
            if not quiet and pace.due:
                say(f"{page.n_rows:,} rows, {pace.rate(page.n_rows):,.0f} a second, {page.n_alarms:,} alarms")
    if source.format == "ndjson":
        unseen.check()
    text = page.build(_labels(path, out, keep, ignored, where))
    out.write_bytes(text.encode("utf-8", "backslashreplace"))  # names in bytes that are not UTF-8
    click.echo(f"Page: {out} (rows: {page.n_rows:,}, alarms: {page.n_alarms:,})")


def _new_page(saved: Saved, kept: Sequence[str], top: int | None, seed: int) -> StreamView:
    names, number = saved.schema.names, {} if top is None else {"top": top}
    if not saved.is_series:
        return StreamView(saved.model, names, kept, seed=seed, **number)
    return SeriesView(saved.model, names, saved.times and saved.times.column, kept, seed=seed, **number)


def _check_output(out: Path, source: Reading, model: Path) -> None:
    """Find out before anything is read whether the page can be written."""
    for name, other in (("input", source.source), ("model", str(model))):
        if other != "-" and same_file(other, out):
            raise click.UsageError(f"The page would replace the {name} {other}: choose another name for --out.")
    out.parent.mkdir(parents=True, exist_ok=True)


def _labels(model: Path, out: Path, keep: Sequence[str], ignored: Sequence[str], where: Mapping[str, Any]) -> Labels:
    """What the page says about its origin, with commands that a shell understands."""
    source = where["source"]
    options = [("--format", where["form"]), ("--delimiter", where["delimiter"]), ("--key", where["key"])]
    options += [("--on-bad-row", "skip" if where["quarantine"] else where["on_bad_row"])]
    options += [("--ignore", name) for name in ignored] + [("--keep", names) for names in keep]
    common = [source, "--model", str(model)]
    common += [word for name, value in options if value is not None for word in (name, value)]
    common += ["--no-header"] if where["no_header"] else []
    return Labels(
        "standard input" if source == "-" else Path(source).name,
        str(model),
        shlex.join(["genreplay", "view", *common, "--out", str(out)]),
        shlex.join(["genreplay", "explain", *common, "--alarms"]),
    )
