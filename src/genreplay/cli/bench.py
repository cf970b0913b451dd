"""``genreplay bench``: speed as ratios, measured side by side."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table

from genreplay.bench.figures import Part
from genreplay.bench.measure import Effort
from genreplay.bench.run import PARTS, run
from genreplay.formatting import three_digits

VERDICTS = {True: "[green]met[/]", False: "[red]not met[/]", None: ""}
"""how ``Figure.met`` is shown"""


@click.command()
@click.argument("names", metavar="[PART]...", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--quick", is_flag=True, help="Few turns and small sizes: shows that it works; the figures mean nothing.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of everything random.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for bench.json and the page bench.html."
)
def bench(names: tuple[str, ...], quick: bool, seed: int, as_json: bool, out: Path | None) -> None:
    """Time the package against its matrix products and its peers, side by side, in one run.

    PART is any of cd-mnist, cd-web, ais, replay, threads, stream, table, series, growth, density, memory and fleet. All
    of them, the default, take some minutes. Peers that are not installed are named and left out: pip install
    'genreplay[bench]' gets them.
    """
    if out is not None:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise click.BadParameter(str(error), param_hint="--out") from error
    measured = run(names or list(PARTS), Effort(seed, quick), lambda name: click.echo(f"measuring {name}", err=True))
    document = json.dumps(measured.to_json(), indent=1)
    if as_json:
        click.echo(document)
    else:
        console = Console()
        for part in measured.parts.values():
            console.print(_table(part))
            for line in part.left_out:
                console.print(f"Left out: {line}.", highlight=False)
    if out is not None:
        from genreplay.report import bench as page  # matplotlib is slow to import

        (out / "bench.json").write_text(document + "\n", encoding="utf-8")
        (out / "bench.html").write_text(page.build(measured), encoding="utf-8")
        click.echo(f"Page: {out / 'bench.html'}", err=as_json)


def _table(part: Part) -> Table:
    table = Table(title=part.title, caption=part.about, title_justify="left", caption_justify="left", box=box.SIMPLE)
    table.add_column("what")
    for heading in ("figure", "quartiles", "ms"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("target")
    for unit, figures in groupby(part.figures, lambda figure: figure.unit):
        table.add_row(f"[italic]{unit}[/]")
        for figure in figures:
            quartiles = [three_digits(each) for each in (figure.low, figure.high) if each is not None]
            milliseconds = "" if figure.seconds is None else f"{1000 * figure.seconds:.3f}"
            verdict = f"{figure.target}, {VERDICTS[figure.met]}" if figure.target else ""
            table.add_row(f"  {figure.name}", three_digits(figure.value), " - ".join(quartiles), milliseconds, verdict)
    return table
