"""``genreplay info``: what a model file holds."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click

from genreplay.cli import models
from genreplay.cli.errors import BadInput, clean_exits
from genreplay.cli.models import Saved
from genreplay.cli.output import write
from genreplay.core import checkpoint
from genreplay.core.ingredient import Json
from genreplay.formatting import size
from genreplay.streams.chunks import shown


@click.command()
@click.argument("path", metavar="MODEL", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--schema", "as_schema", is_flag=True, help="Print the columns as TOML, for genreplay learn --schema.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@clean_exits
def info(path: Path, as_schema: bool, as_json: bool) -> None:
    """Print what a model file holds: its table, how many rows it has seen, its size.

    For each column: its kind, and what its codes tell apart: the usual range of a number and its intervals, the labels
    of a category. All codes of all columns are in the JSON.
    """
    with models.reading(path):
        held = checkpoint.load(path)
    kind = held.extra.get("estimator", "bare learner")
    facts: dict[str, Json] = {
        "file": str(path),
        "bytes": path.stat().st_size,
        "estimator": kind,
        "visible": held.state.rbm.n_visible,
        "hidden": held.state.rbm.n_hidden,
        "updates": held.state.t - 1,
        "learned": held.state.n_learned,
    }
    if kind == "OnlineRBMDetector":
        saved = models.load(path)
        model, account = saved.model, saved.account
        facts |= {
            "read": account.n_read,
            "waiting": model.n_waiting_,
            "skipped": account.n_skipped,
            "inputs": account.input_number,
            "ready": model.is_ready_,
            "drifts": model.drift_.n_drifts,
            "contamination": float(model.contamination),
            "memory": model.nbytes.total,
            "warm_up": int(model.encoder_.warm_up),
            "bins": int(model.encoder_.n_bins),
            "columns": dict(saved.schema.kinds),
            "codes": _codes(saved),
        }
    if as_schema:
        if "columns" not in facts:
            raise BadInput(f"{path} holds a {kind}, which has no table.")
        write(saved.schema.to_toml())
    elif as_json:
        write(json.dumps(facts) + "\n")
    else:
        write("".join(f"{line}\n" for line in _lines(facts)))


def _codes(saved: Saved) -> dict[str, Json]:
    """The code of each column by its name in the schema; none in the warm-up, when there are no codes yet."""
    encoder = saved.model.encoder_
    if not encoder.frozen_:
        return {}
    return dict(zip(saved.schema.names, encoder.describe_codes().values(), strict=True))


def _lines(facts: dict[str, Json]) -> list[str]:
    lines = [f"{facts['file']}: {facts['estimator']}, {size(int(facts['bytes']))}"]  # type: ignore[arg-type]
    lines.append(f"{facts['visible']:,} visible and {facts['hidden']:,} hidden units; updates: {facts['updates']:,}")
    columns = facts.get("columns")
    if not isinstance(columns, dict):
        return [*lines, f"{facts['learned']:,} rows learned"]
    lines.append(
        f"{facts['read']:,} rows read = {facts['learned']:,} learned + {facts['waiting']:,} waiting + "
        f"{facts['skipped']:,} skipped"
    )
    lines.append(f"drifts noticed: {facts['drifts']:,}; alarms at p <= {facts['contamination']:g}")
    if not facts["ready"]:
        lines.append("still in its warm-up: nothing can be scored yet")
    if len(columns) > 50:
        return [*lines, "columns: " + ", ".join(f"{n:,} {kind}" for kind, n in Counter(columns.values()).items())]
    names = list(map(shown, columns))
    width = max(map(len, names))
    kinds = zip(names, columns.items(), strict=True)
    return [
        *lines,
        "columns:",
        *(f"  {name:<{width}}  {kind!s:<9}  {_told_apart(facts, column)}".rstrip() for name, (column, kind) in kinds),
    ]


def _told_apart(facts: dict[str, Json], column: str) -> str:
    """What the codes of a column tell apart; nothing for a column that has none."""
    codes: Any = facts["codes"]
    code: dict[str, Any] = codes.get(column, {})
    match code.get("kind"):
        case "number" if code["cuts"]:
            first, last = code["usual"]
            low, high = code["cuts"][first - 1], code["cuts"][last]
            return f"always {low:g}" if low == high else f"{low:g} to {high:g} in {last - first + 1:,} intervals"
        case "category":
            return ", ".join(map(shown, code["labels"]))
        case "boolean":
            return "false, true"
        case "timestamp":
            return f"{code['n_sectors']:,} times of day, 7 days of the week"
    return ""
