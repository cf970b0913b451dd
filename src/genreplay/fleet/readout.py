"""The models of a fleet, taken out of a folder of a process or of a checkpoint of Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from genreplay.fleet import store
from genreplay.fleet.keyed import FleetError


def models(place: str | os.PathLike[str]) -> Iterator[tuple[str, bytes]]:
    """Yield each key of a fleet and its model as the content of a file, which ``OnlineRBMDetector.from_bytes`` reads.

    ``place`` is a folder of ``Fleet`` and of ``genreplay learn --by``, or the checkpoint of a query on Spark, for which
    a Spark session is started. Of both, the models are those of the last commit.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from genreplay import OnlineRBMDetector
    >>> from genreplay.estimators.plain_detector import Detector
    >>> from genreplay.fleet import Blueprint, Fleet, models
    >>> from genreplay.streams.schema import Schema
    >>> folder = tempfile.mkdtemp()
    >>> with Fleet(folder, Blueprint(Schema({"load": "number"}), Detector(warm_up=100))) as fleet:
    ...     found = fleet.learn(["a", "b"] * 150, np.random.default_rng(0).normal(size=(300, 1)))
    ...     fleet.commit()
    >>> {key: OnlineRBMDetector.from_bytes(file).n_rows_seen_ for key, file in models(folder)}
    {'a': 150, 'b': 150}
    """
    folder = Path(place)
    if (folder / "state").is_dir() and (folder / "offsets").is_dir():
        from genreplay.fleet.spark import kept

        yield from kept(str(place))
    elif folder.is_dir():
        yield from store.kept(folder)
    else:
        raise FleetError(f"{folder} is not a folder of models: name that of --models, or a checkpoint of Spark.")


def model(place: str | os.PathLike[str], key: str) -> bytes:
    """The model of one key, as the content of a file."""
    found = next((file for each, file in models(place) if each == key), None)
    if found is None:
        raise FleetError(f"{place} has no model of key {key!r}.")
    return found
