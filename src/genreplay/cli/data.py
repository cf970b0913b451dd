"""``genreplay data``: list the data sets, and fetch those that are missing."""

from __future__ import annotations

import json

import click
from rich.console import Console
from rich.table import Table

from genreplay import datasets
from genreplay.datasets import DatasetError, Summary


class _BadData(click.ClickException):
    """One line on stderr, exit code 2."""

    exit_code = 2


@click.group()
def data() -> None:
    """List and fetch the data sets."""


@data.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(as_json: bool) -> None:
    """Show every data set: its size, how close it is to the original, and where it was found."""
    summaries = [datasets.describe(name) for name in datasets.names()]
    if as_json:
        click.echo(json.dumps([summary._asdict() for summary in summaries], indent=2))
    else:
        Console().print(_table(summaries))
        for summary in summaries:
            if summary.note:
                click.echo(f"{summary.name}: {summary.note}")


@data.command()
@click.argument("names", metavar="[NAME...|all]", nargs=-1, required=True)
@click.option("--quiet", is_flag=True, help="Show no progress.")
def fetch(names: tuple[str, ...], quiet: bool) -> None:
    """Download data sets into the user's cache, verify them, and print the paths of their files."""
    from genreplay.datasets.fetch import fetch as fetch_files  # the network libraries are slow to import

    failures = []
    for name in datasets.names() if "all" in names else names:
        try:
            for path in fetch_files(name, progress=not quiet):
                click.echo(path)
        except DatasetError as error:
            failures.append(error)
    for failure in failures[:-1]:
        _BadData(str(failure)).show()
    if failures:
        raise _BadData(str(failures[-1]))


def _table(summaries: list[Summary]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("name", "features", "train", "valid", "test", "state", "where"):
        right = heading in ("features", "train", "valid", "test")
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    for s in summaries:
        sizes = (f"{n:,}" for n in (s.n_features, s.n_train, s.n_valid, s.n_test))
        table.add_row(s.title, *sizes, s.state, s.where)
    return table
