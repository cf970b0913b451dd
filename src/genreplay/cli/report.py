"""``genreplay report``: results as pages to read, or as tables in Markdown."""

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
    type=click.Path(path_type=Path),
    help="Where the report goes: a folder; md: a file.  [default: out/report; md: stdout]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "md"]),
    default="html",
    show_default=True,
    help="html: a folder of self-contained pages. md: its tables in Markdown, as far as their runs are there.",
)
def report(source: Path, out: Path | None, form: str) -> None:
    """Put the paper's numbers and ours side by side, with a verdict for each of its claims.

    Makes a folder of pages: index.html has the verdict in words, and each section a page of its own. Uses the results
    that are there, and says which are missing.
    """
    if form == "html" and out is not None:
        _check_folder(out)
    try:
        records = runner.read(source)
    except runner.ResultsError as error:
        raise click.UsageError(str(error)) from error
    if not records:
        raise click.UsageError(f"{source} has no results: run `genreplay reproduce all` first, or name a file.")
    results = Results(records)
    if form == "html":
        _write_pages(results, out or Path("out/report"))
    else:
        _write_tables(results, out)


def _check_folder(out: Path) -> None:
    """Find out before anything is read whether the pages can be written."""
    if out.suffix == ".html" or out.is_file():
        better = out.parent / "report"
        raise click.UsageError(f"The report is a folder of pages: use --out {better} in place of {out}.")


def _write_pages(results: Results, folder: Path) -> None:
    from genreplay.report import pages  # matplotlib is slow to import

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.pages(results):
        (folder / name).write_text(text, encoding="utf-8")
    click.echo(f"Report: {folder / pages.FIRST}")


def _write_tables(results: Results, out: Path | None) -> None:
    from genreplay.report import markdown  # matplotlib is slow to import

    text = "\n".join(filter(None, (table(results) for table in markdown.TABLES)))
    if out is None:
        click.echo(text, nl=False)
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
    click.echo(f"Report: {out}")
