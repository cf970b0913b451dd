"""``genreplay report``: results as a page to read, or as tables in Markdown."""

from __future__ import annotations

from pathlib import Path

import click

from genreplay.experiments import runner
from genreplay.experiments.results import Results


@click.command()
@click.option(
    "--results",
    "source",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("results/runs.jsonl"),
    show_default=True,
    help="Results of genreplay reproduce (JSON lines).",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the report goes.  [default: out/report.html; md: stdout]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "md"]),
    default="html",
    show_default=True,
    help="html: a self-contained page. md: its tables in Markdown, as far as their runs are there.",
)
def report(source: Path, out: Path | None, form: str) -> None:
    """Put the paper's numbers and ours side by side, with a verdict for each of its claims.

    Uses the results that are there, and says which are missing.
    """
    try:
        records = runner.read(source)
    except runner.ResultsError as error:
        raise click.UsageError(str(error)) from error
    if not records:
        raise click.UsageError(f"{source} has no results: run `genreplay reproduce all` first, or name a file.")
    results = Results(records)
    from genreplay.report import markdown, page  # matplotlib is slow to import

    if form == "html":
        text = page.build(results)
    else:
        text = "\n".join(filter(None, (table(results) for table in markdown.TABLES)))
    if form == "md" and out is None:
        click.echo(text, nl=False)
        return
    out = out or Path("out/report.html")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    click.echo(f"Report: {out}")
