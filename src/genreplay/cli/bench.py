"""``genreplay bench``: speed as ratios, measured side by side."""

from __future__ import annotations

import json

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from genreplay import bench as measure


@click.command()
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of everything random.")
@click.option("--json", "as_json", is_flag=True, help="Print the ratios as JSON.")
def bench(seed: int, as_json: bool) -> None:
    """Time a CD step and AIS against their matrix products, and the replay strategies against each other."""
    shape, rng = measure.Shape(), np.random.default_rng(seed)
    parts = {"CD-1": measure.cd_step, "AIS": measure.ais_step, "replay": measure.replay_strategies}
    ratios = {}
    with Console(stderr=True).status("measuring") as status:
        for name, part in parts.items():
            status.update(f"measuring {name}")
            ratios[name] = part(shape, rng)
    if as_json:
        click.echo(json.dumps({name: [ratio._asdict() for ratio in group] for name, group in ratios.items()}))
        return
    title = f"{shape.n_visible} x {shape.n_hidden}, {shape.n_rows} rows: time as a multiple of the first in each group"
    table = Table(title=title)
    for heading in ("what", "ratio of medians", "quartiles", "median ms"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for group in ratios.values():
        for row in group:
            quartiles = f"{row.low:.2f} - {row.high:.2f}"
            table.add_row(row.name, f"{row.ratio:.2f}", quartiles, f"{1000 * row.median_seconds:.2f}")
        table.add_section()
    Console().print(table)
