"""The file of a detector: its encoder, its model, its dreams, and everything that its learning goes on from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from genreplay.core import checkpoint
from genreplay.core.checkpoint import refusing
from genreplay.core.grouped import TableRBM
from genreplay.core.ingredient import Json
from genreplay.core.model_file import DetectorPart
from genreplay.estimators import files
from genreplay.estimators.deviations import Deviations, Running
from genreplay.estimators.drift import PageTest
from genreplay.estimators.filling import Means
from genreplay.estimators.judge import Judge
from genreplay.estimators.renewal import Renewal
from genreplay.estimators.waiting import Waiting
from genreplay.streams.coder import TableCoder

if TYPE_CHECKING:
    from genreplay.estimators.plain_detector import Detector

AnyDetector = TypeVar("AnyDetector", bound="Detector")


def save(path: str | os.PathLike[str], detector: Detector, extra: Mapping[str, Json] | None) -> None:
    """Write a detector to one file, atomically."""
    checkpoint.write(path, *_parts(detector, extra))


def to_bytes(detector: Detector, extra: Mapping[str, Json] | None) -> bytes:
    """What ``save`` would write."""
    return checkpoint.packed(*_parts(detector, extra))


def _parts(detector: Detector, extra: Mapping[str, Json] | None) -> tuple[checkpoint.Tensors, dict[str, Any]]:
    judge = detector.judge_
    more: dict[str, Json] = {
        "encoder": detector.encoder_.state(),
        "judge": None if judge is None else judge.to_json(),
        "means": None if judge is None else [detector._means.counts.tolist(), detector._means.sums.tolist()],
        "running": None if detector._running is None else detector._running.to_json(),
        "drift": list(detector.drift_),
        "renewal": detector._renewal.to_json(),
        "n_renewals": detector.n_renewals_,
        "renewed_columns": list(detector.renewed_columns_),
        "renewed_after": detector.renewed_after_,
        "n_responding": detector._n_responding,
        "threshold": detector._threshold,
        "named": hasattr(detector, "feature_names_in_"),
        "frame": detector._library,
        "extra": dict(extra or {}),
    }
    state = None if judge is None else judge.state
    return files.table_model_parts(detector, state, detector._waiting.codes, detector._rng, more)


def load(path: str | os.PathLike[str], cls: type[AnyDetector]) -> AnyDetector:
    """Read the detector that ``save`` wrote."""
    with refusing(path):
        return _loaded(files.table_model(*checkpoint.read(path), path, cls, cls._encoders), cls)


def from_bytes(content: bytes, name: str, cls: type[AnyDetector]) -> AnyDetector:
    """Read the detector whose file has this content; errors call it by its name."""
    with refusing(name):
        return _loaded(files.table_model(*checkpoint.unpacked(content, name), name, cls, cls._encoders), cls)


def _loaded(held: files.TableModel, cls: type[AnyDetector]) -> AnyDetector:
    more = held.more
    model = cls(**held.params)
    for name, kind in {"encoder": TableCoder, "rbm": TableRBM, "alarms": Deviations}.items():
        if not isinstance(getattr(model, name), kind | None):
            raise ValueError(f"Its argument {name!r} is not a {kind.__name__}.")
    encoder = model._new_encoder()
    model.encoder_ = type(encoder).from_state(more["encoder"])
    if encoder.settings() != model.encoder_.settings():
        raise ValueError("Its encoder was made with other arguments than those it has.")
    model._settings, model._policy, model._rng = model._new_settings(), model.alarms, held.rng
    state = files.table_state(held, model.encoder_, model._settings)
    _check_lengths(held.header.extra, model)
    running = more.get("running")  # none in files from before there were alarms
    model._running = None if running is None else Running.from_json(running)
    model.judge_ = None if state is None else Judge.from_json(state, more["judge"])
    if more["means"] is not None:
        model._means = Means(model.encoder_, *map(np.array, more["means"]))
    codes = held.tensors["waiting"]
    model._waiting = Waiting().add(codes) if len(codes) else Waiting()
    model._renewal = Renewal.from_json(model.encoder_, more["renewal"])
    model.n_renewals_, model.renewed_columns_ = more["n_renewals"], more["renewed_columns"]
    model.renewed_after_ = more["renewed_after"]
    model.drift_, model.extra_, model._library = PageTest(*more["drift"]), more["extra"], more["frame"]
    model._n_responding, model._threshold = more["n_responding"], more["threshold"]
    model.n_features_in_ = model.encoder_.n_features_in_
    if more["named"]:
        model.feature_names_in_ = np.array(model.encoder_.column_names_, dtype=object)
    model._follow_changes()  # arguments that its codes and its model were not made with are refused
    return model


def _check_lengths(held: DetectorPart, model: Detector) -> None:
    """Compare what is tracked of the stream with the codes and the alarms of a detector."""
    if held.judge is None or held.means is None:
        return
    encoder = model.encoder_
    judged = [encoder.kinds_[column] != "timestamp" for column in encoder.column_of_group_ if column >= 0]
    numbers = encoder.number_groups_
    if held.judge.judged != judged or len(held.judge.usual) != len(judged):
        raise ValueError("Its judge is not one of its columns.")
    if {*map(len, held.means)} != {int(encoder.group_sizes_.sum())}:
        raise ValueError("Its means are not those of its codes.")
    if len(encoder.residual_groups_) not in (0, len(numbers)):
        raise ValueError("Its residuals are not those of its numbers.")
    if held.running is not None and model.alarms is not None:
        held.running.check_shape(sum(judged), len(numbers), model.alarms.scales)
