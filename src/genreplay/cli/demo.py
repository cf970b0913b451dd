"""``genreplay demo``: digits arrive class by class, and learners are asked which ones they still dream of."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text
from threadpoolctl import threadpool_limits

from genreplay.experiments import story
from genreplay.experiments.story import Chapter, Ending, Learner
from genreplay.formatting import size

N_SHOWN = 5
"""dreams of each learner on the terminal"""
BARS = " ▁▂▃▄▅▆▇█"
NEXT = (
    "Now with a table of your own: {0} learn FILE.csv --model m, then {0} score NEW.csv --model m "
    "(what is unusual?) and {0} explain NEW.csv --model m (why?)."
)


@click.command()
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of everything random.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("out/demo.png"),
    show_default=True,
    help="Where the picture goes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def demo(seed: int, out: Path, as_json: bool) -> None:
    """Let digits arrive class by class, and see who still dreams of the first ones.

    Handwritten digits come in order, all zeros first, all nines last, each row once. The default recipe and the paper's
    method rehearse their own dreams; two rivals store rows and rehearse them; one rehearses nothing. Half a minute.
    """
    if out.suffix not in (".png", ".svg", ".pdf"):
        raise click.BadParameter(f"{out} must end in .png, .svg or .pdf.", param_hint="--out")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.BadParameter(str(error), param_hint="--out") from error
    chapters, endings = _listen(seed)
    from genreplay.report import story as picture  # matplotlib is slow to import

    picture.draw(chapters, endings).savefig(out, dpi=110)
    if as_json:
        click.echo(json.dumps([_figures(chapters, ending) for ending in endings]))
        return
    console = Console(highlight=False)
    console.print(_page(chapters, endings))
    console.print(story.summary(chapters, endings))
    click.echo(f"Picture: {out}")
    console.print(NEXT.format(_command()), markup=False, soft_wrap=True)


def _command() -> str:
    """How this command is called here: by its name, or by its path in a virtual environment that is not active."""
    called = Path(sys.argv[0])
    if shutil.which("genreplay") is None and called.name == "genreplay" and called.is_file():
        return os.path.relpath(called)
    return "genreplay"


def _listen(seed: int) -> tuple[list[Chapter], list[Ending]]:
    """Learn, with a live view on a terminal, or a line for each class in a log."""
    chapters: list[Chapter] = []
    endings: list[Ending] = []
    console = Console(stderr=True, highlight=False)
    live = Live(console=console, auto_refresh=False, transient=True)
    with live, threadpool_limits(1):  # small matrices: more threads only wait for each other
        for part in story.tell(seed):
            if isinstance(part, Ending):
                endings.append(part)
            else:
                chapters.append(part)
            if console.is_terminal:
                live.update(_page(chapters, endings), refresh=True)
            elif isinstance(part, Chapter) and part.learner == story.LEARNERS[-1]:
                click.echo(f"class {part.n_classes} of 10 learned", err=True)
    return chapters, endings


def _page(chapters: Sequence[Chapter], endings: Sequence[Ending]) -> Group:
    """One strip for each learner: what it dreams of now, in bars and in digits."""
    n_classes = max(each.n_classes for each in chapters)
    title = Text("Handwritten digits arrive class by class, and none comes back. Now: ")
    title.append(str(n_classes - 1) if not endings else "the end", style="bold")
    table = Table.grid(padding=(0, 2, 0, 0))
    scored = {each.learner: each for each in endings}
    for learner in story.LEARNERS:
        newest = next((each for each in reversed(chapters) if each.learner == learner), None)
        if newest is not None:
            table.add_row(_words(newest, scored.get(learner)), *map(_digit, newest.dreams[:N_SHOWN]))
    return Group(title, table)


def _words(chapter: Chapter, ending: Ending | None) -> Text:
    """Who it is, and a bar for each digit: a full one is a fair share of the classes seen, or more."""
    learner = chapter.learner
    text = Text(no_wrap=True)
    text.append(f"{learner.title}\n", style="bold green" if learner == story.LEARNERS[0] else "bold")
    text.append(f"rehearses {learner.past}\n", style="dim")
    for digit, share in enumerate(chapter.shares):
        fair = min(1.0, share * chapter.n_classes)
        seen = digit < chapter.n_classes
        text.append(f"{digit}", style="dim")
        text.append(BARS[round(fair * (len(BARS) - 1))] if seen else " ", style="green" if fair >= 1 / 3 else "red")
        text.append(" ")
    if ending is not None:
        text.append(f"\n{ending.likelihood}, {size(ending.n_bytes)}", style="bold")
    return text


def _digit(bits: npt.NDArray[np.uint8]) -> Text:
    """An image of 8 x 8 bits in four lines, two pixels a character."""
    upper, lower = bits.reshape(4, 2, 8).transpose(1, 0, 2)
    return Text("\n".join("".join(map(" ▀▄█".__getitem__, row)) for row in upper + 2 * lower))


def _figures(chapters: Sequence[Chapter], ending: Ending) -> dict[str, object]:
    shares = [each.shares for each in chapters if each.learner == ending.learner]
    learner: Learner = ending.learner
    return {"learner": learner.title, "rehearses": learner.past, "shares": shares} | {
        name: getattr(ending, name) for name in ("nats", "error", "doubt", "n_stored", "n_bytes")
    }
