"""``genreplay bench``: speed as ratios, measured side by side."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from genreplay.bench.figures import Part, short
from genreplay.bench.measure import Effort
from genreplay.bench.run import PARTS, run

VERDICTS = {True: "[green]met[/]", False: "[red]not met[/]", None: ""}


@click.command()
@click.argument("names", metavar="[PART]...", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--quick", is_flag=True, help="Few turns and small sizes: see that it works, judge nothing.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of everything random.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for bench.json and the page bench.html."
)
def bench(names: tuple[str, ...], quick: bool, seed: int, as_json: bool, out: Path | None) -> None:
    """Time the package against its matrix products and its peers, side by side, in one run.

    PART is any of cd-mnist, cd-web, ais, replay, threads, stream, growth, density and memory. All of them, the default,
    take some minutes. Peers that are not installed are named and left out: pip install 'genreplay[bench]' gets them.
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
    judged = any(figure.target for figure in part.figures)
    table = Table(title=part.title, caption=part.about, title_justify="left", caption_justify="left")
    table.add_column("what", min_width=20)
    table.add_column("figure", justify="right")
    table.add_column("unit")
    for heading in ("quartiles", "median ms", *(("target",) if judged else ())):
        table.add_column(heading, justify="right")
    if judged:
        table.add_column("")
    unit = None
    for figure in part.figures:
        if figure.unit != unit:
            table.add_section()
            unit = figure.unit
        quartiles = "" if figure.low is None or figure.high is None else f"{short(figure.low)} - {short(figure.high)}"
        milliseconds = "" if figure.seconds is None else f"{1000 * figure.seconds:.3f}"
        verdict = (str(figure.target or ""), VERDICTS[figure.met]) if judged else ()
        table.add_row(figure.name, short(figure.value), figure.unit, quartiles, milliseconds, *verdict)
    return table
