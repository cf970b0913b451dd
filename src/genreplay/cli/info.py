"""``genreplay info``: what a model file holds."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click
import numpy as np

from genreplay.cli import models
from genreplay.cli.errors import BadInput, clean_exits
from genreplay.cli.models import Saved
from genreplay.cli.output import write
from genreplay.core import checkpoint, model_file
from genreplay.core.classifier_file import Classifier
from genreplay.core.grouped import Dreams, Nothing, Stored
from genreplay.core.ingredient import Json
from genreplay.core.kernels.choice import numba_later
from genreplay.formatting import fine_percent, listed, moment, size
from genreplay.streams.chunks import shown

_WORDS = {Dreams: "dreams", Stored: "stored rows", Nothing: "none"}
"""what is rehearsed"""
_SHOWN_LABELS = 50


@click.command()
@click.argument("path", metavar="MODEL", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--schema", "as_schema", is_flag=True, help="Print the columns as TOML, for genreplay learn --schema.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@clean_exits
@numba_later()
def info(path: Path, as_schema: bool, as_json: bool) -> None:
    """Print what a model file holds: its table or series, its alarms, how many rows it has seen, its size.

    For each column: its kind; what its codes tell apart, the usual range of a number and its intervals, the labels of a
    category; and what share of the stream's cells was missing, lay outside the range, or had a label without a
    code. All codes of all columns are in the JSON.
    """
    with models.reading(path):
        _, header = checkpoint.read(path)
        kind = header["extra"].get("estimator", "bare learner")
    facts: dict[str, Json] = {"file": str(path), "bytes": path.stat().st_size, "estimator": kind}
    saved = models.load(path) if kind == "OnlineRBMDetector" else None
    if saved is not None:
        facts |= _facts_of_detector(saved)
    else:
        facts |= _facts_of_classifier(path, header) if "learners" in header else _facts_of_learner(path)
    if as_schema:
        if saved is None:
            raise BadInput(f"{path} holds a {kind}, which has no table.")
        write(saved.schema.to_toml())
    elif as_json:
        write(json.dumps(facts) + "\n")
    else:
        write("".join(f"{line}\n" for line in _lines(facts)))


def _facts_of_learner(path: Path) -> dict[str, Json]:
    with models.reading(path):
        state = checkpoint.load(path).state
    return {
        "visible": state.rbm.n_visible,
        "hidden": state.rbm.n_hidden,
        "updates": state.t - 1,
        "learned": state.n_learned,
    }


def _facts_of_classifier(path: Path, header: dict[str, Any]) -> dict[str, Json]:
    with checkpoint.refusing(path):
        held = model_file.checked(header, Classifier)
        learners = [model_file.checked(each | {"extra": {}}, model_file.Learner) for each in held.learners]
    return {
        "features": held.extra.n_features,
        "labels": list(held.extra.classes),
        "models": len(learners),
        "updates": sum(each.t - 1 for each in learners),
        "learned": sum(each.n_learned for each in learners),
    }


def _facts_of_detector(saved: Saved) -> dict[str, Json]:
    model, account, settings = saved.model, saved.account, models.settings(saved.model)
    return {
        "visible": 0 if model.judge_ is None else len(model.judge_.state.learned),
        "hidden": settings.n_hidden,
        "replay": _WORDS.get(type(settings.replay), str(settings.replay)),
        "rehearsed": len(model.dreams_) if model.is_ready_ else 0,
        "updates": model.n_updates_,
        "learned": model.n_learned_,
        "read": account.n_read,
        "waiting": model.n_waiting_,
        "skipped": account.n_skipped,
        "inputs": account.input_number,
        "ready": model.is_ready_,
        "drifts": model.drift_.n_drifts,
        "renewals": model.n_renewals_,
        **({"contamination": float(model.contamination)} if model.alarms is None else _facts_of_series(saved)),
        "memory": model.nbytes.total,
        "warm_up": int(model.encoder_.warm_up),
        "bins": int(model.encoder_.n_bins),
        "columns": dict(saved.schema.kinds),
        "codes": _codes(saved),
        "unknown": _unknown(saved),
    }


def _facts_of_series(saved: Saved) -> dict[str, Json]:
    policy, times = saved.model.alarms, saved.times
    assert policy is not None
    return {
        "time": times and times.column,
        "last_time": times.last if times else None,
        "scales": list(policy.scales),
        "threshold": float(policy.threshold),
        "quiet": float(policy.quiet),
        "most_quiet_rows": policy.most_quiet_rows,
    }


def _codes(saved: Saved) -> dict[str, Json]:
    """The code of each column by its name in the schema; none in the warm-up, when there are no codes yet."""
    encoder = saved.model.encoder_
    if not encoder.frozen_:
        return {}
    return dict(zip(saved.schema.names, encoder.describe_codes().values(), strict=True))


def _unknown(saved: Saved) -> dict[str, Json]:
    """For each column, the shares of cells that were missing, and that lay outside the range or had no code."""
    encoder, judge = saved.model.encoder_, saved.model.judge_
    if judge is None:
        return {}
    found: dict[str, Json] = {}
    counts = saved.model.code_counts_
    for column, name in enumerate(saved.schema.names):
        group = int(np.flatnonzero(encoder.column_of_group_ == column)[0])
        here = slice(judge.state.offsets[group], judge.state.offsets[group + 1])
        own, far = counts[here], encoder.far_of_code_[here] > 0
        missing, outside = own[encoder.missing_codes_[group]] / own.sum(), own[far].sum() / own.sum()
        found[name] = {"missing": round(float(missing), 6), "outside": round(float(outside), 6)}
    return found


def _lines(facts: dict[str, Json]) -> list[str]:
    lines = [f"{facts['file']}: {facts['estimator']}, {size(int(facts['bytes']))}"]  # type: ignore[arg-type]
    if "labels" in facts:
        labels: Any = facts["labels"]
        said = ", ".join(shown(str(label)) for label in labels[:_SHOWN_LABELS])
        said += f" and {len(labels) - _SHOWN_LABELS:,} more" if len(labels) > _SHOWN_LABELS else ""
        models = f"{facts['features']:,} features; models: {facts['models']:,}; updates: {facts['updates']:,}"
        return [*lines, models, f"{facts['learned']:,} rows learned", f"labels: {said}"]
    units = f"{facts['visible']:,} visible and {facts['hidden']:,} hidden units"
    columns = facts.get("columns")
    if not isinstance(columns, dict):
        return [*lines, f"{units}; updates: {facts['updates']:,}", f"{facts['learned']:,} rows learned"]
    rehearsed = f"{facts['rehearsed']:,} {facts['replay']}" if facts["rehearsed"] else "nothing"
    lines.append(f"{units}; rehearses {rehearsed}; updates: {facts['updates']:,}")
    lines.append(
        f"{facts['read']:,} rows read = {facts['learned']:,} learned + {facts['waiting']:,} waiting + "
        f"{facts['skipped']:,} skipped"
    )
    noticed = f"drifts noticed: {facts['drifts']:,}; codes made anew: {facts['renewals']:,}"
    if "scales" in facts:
        lines += [noticed, *_lines_of_series(facts)]
    else:
        lines.append(f"{noticed}; alarms at p <= {facts['contamination']:g}")
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
        *(
            f"  {name:<{width}}  {kind!s:<9}  {_told_apart(facts, column)}{_unknown_in_words(facts, column)}".rstrip()
            for name, (column, kind) in kinds
        ),
    ]


def _lines_of_series(facts: dict[str, Any]) -> list[str]:
    when = f"its times in column {shown(facts['time'])}" if facts["time"] is not None else "without times"
    until = f", learned up to {moment(facts['last_time'])}" if facts["last_time"] is not None else ""
    return [
        f"a time series, {when}{until}",
        f"alarms at an anomaly of {facts['threshold']:g} or more, from the surprise over the last "
        f"{listed(facts['scales'])} rows; after an alarm its column raises none for {fine_percent(facts['quiet'])} of "
        f"the rows so far, at most {facts['most_quiet_rows']:,}",
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
            days = ", 7 days of the week" if code.get("has_days", True) else ""
            return f"{code['n_sectors']:,} times of day{days}"
    return ""


def _unknown_in_words(facts: dict[str, Json], column: str) -> str:
    unknown: Any = facts["unknown"]
    outside = "unseen labels" if facts["columns"][column] == "category" else "outside"  # type: ignore[index,call-overload]
    words = {"missing": "missing", "outside": outside}
    shares = unknown.get(column, {})
    told = [f"{fine_percent(share)} {words[what]}" for what, share in shares.items() if share >= 0.00005]
    return f"; {', '.join(told)}" if told else ""
