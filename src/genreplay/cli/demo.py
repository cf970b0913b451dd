"""``genreplay demo``: the comparison of Fig. 3 on data that needs no file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from genreplay.experiments.paper import fig3
from genreplay.experiments.paper.fig3 import ClassesInTurn
from genreplay.experiments.run import Figures


@click.command()
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of everything random.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("out/demo.png"),
    show_default=True,
    help="Where the picture goes.",
)
@click.option("--paper", is_flag=True, help="Train the toy scenario with the n_E = 10 and alpha = 0.05 of section 4.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def demo(seed: int, out: Path, paper: bool, as_json: bool) -> None:
    """Let classes arrive one after the other, and see who remembers the first ones.

    A model that rehearses its dreams (OCD_GR) against one that stores as many rows as its parameters have bytes
    (ER-ML), one that stores every row (ER-IM), and one without replay: on the toy scenario of section 4.1 of the paper,
    and on scikit-learn's handwritten digits in sorted order. Takes about a minute.
    """
    contests = {"toy classes": fig3.SECTION_4 if paper else fig3.TOY, "sorted digits": fig3.DIGITS}
    if out.suffix not in (".png", ".svg", ".pdf"):
        raise click.BadParameter(f"{out} must end in .png, .svg or .pdf.", param_hint="--out")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.BadParameter(str(error), param_hint="--out") from error
    results = {name: _compete(contest, seed) for name, contest in contests.items()}
    from genreplay.report import fig3 as picture  # matplotlib is slow to import

    picture.draw(results).savefig(out, dpi=110)
    if as_json:
        click.echo(json.dumps(results))
        return
    console = Console()
    for name, contest in contests.items():
        console.print(_table(name, contest, results[name]))
    if not paper:
        console.print(
            "With the n_E = 10 and alpha = 0.05 of the paper's section 4, OCD_GR forgets the toy classes: see "
            "[bold]genreplay demo --paper[/].",
            highlight=False,
        )
    click.echo(f"Picture: {out}")


def _compete(contest: ClassesInTurn, seed: int) -> dict[str, Figures]:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), TextColumn("{task.fields[doing]}"))
    results = {}
    with Progress(*columns, console=Console(stderr=True)) as progress:
        for method in fig3.FIG3_METHODS:
            run = replace(contest, method=method)
            task = progress.add_task(run.title, total=1.0, doing="")

            def show(share: float, doing: str, task: TaskID = task) -> None:
                progress.update(task, completed=share, doing=doing)

            results[method] = run.execute(seed, show)
    return results


def _table(name: str, contest: ClassesInTurn, results: dict[str, Figures]) -> Table:
    table = Table(
        title=f"{name}, one after the other: {contest.n_hidden} hidden units",
        caption=f"AIS with {contest.n_temperatures} temperatures; rarest: the smallest share of a class in the last "
        "dreams (an equal share is 10 %); bytes of parameters, velocities and memory",
    )
    for heading in ("method", "test nats", "reverse AIS", "rarest", "bytes held", "seconds"):
        table.add_column(heading, justify="left" if heading == "method" else "right", no_wrap=True)
    best = max(results, key=lambda method: results[method]["nats"])
    for method, figures in results.items():
        last = figures["counts"][-1]
        nats = f"{figures['nats']:.2f} ± {figures['ais_error']:.2f}"
        table.add_row(
            method,
            f"[bold]{nats}[/]" if method == best else nats,
            f"{figures['reverse_nats']:.2f}",
            f"{min(last) / sum(last):.1%}",
            f"{figures['held_bytes']:,}",
            f"{figures['learn_seconds']:.1f}",
        )
    return table
