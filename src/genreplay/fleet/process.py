"""A fleet on one machine: rows go to the keepers of their keys, in this process or in several."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from genreplay.core import kernels
from genreplay.core.ingredient import Json
from genreplay.estimators.alarms import ExplainedRows
from genreplay.fleet import store
from genreplay.fleet.keyed import Blueprint, Cells, FleetError
from genreplay.fleet.store import N_SHARDS, Head, Keeper, shard_of
from genreplay.streams.chunks import is_text, short

Places = npt.NDArray[np.int64]
MEMORY = 128_000_000
"""bytes of the models in memory"""


class Fleet:
    """A detector for every key, kept in a folder; ``close`` it, or use it in a ``with`` block.

    Parameters
    ----------
    folder : path
        Where the models are. Its last commit is gone on from.
    blueprint : Blueprint or None, default=None
        How the detector of each key starts. With one, the folder starts anew: models in it are removed.
    jobs : int, default=1
        Processes that learn. No result depends on their number.
    memory : int, default=128_000_000
        Bytes of the models in memory, about; those used least recently are on disk.

    Attributes
    ----------
    blueprint : Blueprint
        How the detector of each key starts.
    notes : dict
        What was given to the last ``commit``.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from genreplay.estimators.plain_detector import Detector
    >>> from genreplay.fleet import Blueprint, Fleet, models
    >>> from genreplay.streams.schema import Schema
    >>> folder = tempfile.mkdtemp()
    >>> loads = np.random.default_rng(0).normal(size=(1000, 1))
    >>> loads[900] = 99
    >>> with Fleet(folder, Blueprint(Schema({"load": "number"}), Detector(warm_up=100))) as fleet:
    ...     found = fleet.learn(["a", "b"] * 500, loads)
    ...     fleet.commit()
    >>> bool(found.alarm[900]), sorted(key for key, file in models(folder))
    (True, ['a', 'b'])
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        blueprint: Blueprint | None = None,
        *,
        jobs: int = 1,
        memory: int = MEMORY,
    ) -> None:
        if not 1 <= jobs <= N_SHARDS:
            raise ValueError(f"The 'jobs' parameter of Fleet must be an int from 1 to {N_SHARDS}. Got {jobs} instead.")
        self._folder = Path(folder)
        self._head = Head.read(self._folder) if blueprint is None else store.create(self._folder, blueprint, {})
        self.blueprint = store.blueprint_of(self._folder, self._head)
        self._teams: list[_Team] = []
        self._is_whole = True
        """whether all that was learned may be committed"""
        for job in range(jobs):
            shards = range(job, N_SHARDS, jobs)
            given = (self._folder, shards, self.blueprint, self._head.commit, memory // jobs)
            self._teams.append(_Here(Keeper(*given)) if jobs == 1 else _Elsewhere(given))

    @property
    def notes(self) -> Mapping[str, Any]:
        return self._head.notes

    def learn(self, keys: Sequence[str], cells: Cells | Sequence[Cells]) -> ExplainedRows:
        """Judge rows, each by those of its key before it, and learn them.

        ``cells`` are typed, as ``Schema.parse`` returns them, or an array for each column.
        """
        places = _by_key(keys)
        for key in places:
            if not is_text(key):
                raise FleetError(f"The key {short(key)} is not text that can be written: correct it.")
        tasks: list[list[str]] = [[] for _ in self._teams]
        for key in places:
            tasks[shard_of(key) % len(self._teams)].append(key)
        self._is_whole = False
        for team, task in zip(self._teams, tasks, strict=True):
            team.begin("learn", ((key, _taken(cells, places[key])) for key in task))
        answers = [team.end() for team in self._teams]
        self._is_whole = True
        return _in_order([(places[key], found) for answer in answers for key, found in answer.items()], len(keys))

    def commit(self, notes: Mapping[str, Json] | None = None) -> None:
        """Make all that was learned last: after a crash, learning goes on from here. ``notes`` are kept beside it."""
        if not self._is_whole:
            raise FleetError("Learning was broken off by an error: open the fleet again to go on from its last commit.")
        for team in self._teams:
            team.begin("write")
        for team in self._teams:
            team.end()
        given = dict(self._head.notes if notes is None else notes)
        self._head = Head(self._head.version, self._head.commit + 1, self._head.blueprint, given)
        self._head.write(self._folder)

    def close(self) -> None:
        """End; what was learned since the last commit is given up."""
        while self._teams:
            self._teams.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _by_key(keys: Sequence[str]) -> dict[str, Places]:
    """The places of the rows of each key, in order.

    >>> {key: places.tolist() for key, places in _by_key(["b", "a", "b"]).items()}
    {'b': [0, 2], 'a': [1]}
    """
    numbers: dict[str, int] = {}
    which = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.int64, len(keys))
    ends = np.cumsum(np.bincount(which, minlength=len(numbers)))[:-1]
    return dict(zip(numbers, np.split(np.argsort(which, kind="stable"), ends), strict=False))  # none of no rows


def _taken(cells: Cells | Sequence[Cells], rows: Places) -> Cells:
    """Some rows of cells; numbers alone stay numbers, other cells become objects.

    >>> _taken([np.array([1.5, 2.5]), np.array(["red", "blue"], dtype=object)], np.array([1])).tolist()
    [[2.5, 'blue']]
    """
    if isinstance(cells, np.ndarray):
        return cells[rows]
    is_plain = all(column.dtype == np.float64 for column in cells)
    taken = np.empty((len(rows), len(cells)), dtype=np.float64 if is_plain else object)
    for place, column in enumerate(cells):
        taken[:, place] = column[rows]
    return taken


def _in_order(found: Sequence[tuple[Places, ExplainedRows]], n_rows: int) -> ExplainedRows:
    """What was found of rows at some places each, in one."""
    n_reasons = found[0][1].reasons.shape[1] if found else 1
    shape = (n_rows, n_reasons)
    whole = ExplainedRows(np.empty(n_rows), np.empty(n_rows), np.empty(n_rows, np.bool_), np.empty(shape, np.int64))
    for places, part in found:
        for all_, some in zip(whole, part, strict=True):
            all_[places] = some
    return whole


class _Team(Protocol):
    """Calls methods of a keeper, wherever it is."""

    def begin(self, method: str, *tasks: Iterable[object]) -> None: ...

    def end(self) -> Any:
        """What the method returned, or raised."""

    def close(self) -> None: ...


class _Here:
    """A keeper in this process."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def begin(self, method: str, *tasks: Iterable[object]) -> None:
        self._answer = getattr(self._keeper, method)(*tasks)

    def end(self) -> Any:
        return self._answer

    def close(self) -> None:
        self._keeper.close()


class _Elsewhere:
    """A keeper in a process of its own, which ends with this one."""

    def __init__(self, given: tuple[Any, ...]) -> None:
        context = get_context("spawn")  # a fork would copy threads that hold locks
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, given), daemon=True)
        self._process.start()
        theirs.close()

    def begin(self, method: str, *tasks: Iterable[object]) -> None:
        with suppress(BrokenPipeError):  # it has ended: the other end says why
            self._connection.send((method, [list(task) for task in tasks]))

    def end(self) -> Any:
        try:
            is_error, answer = self._connection.recv()
        except EOFError:
            self._process.join()
            raise OSError(f"A process of the fleet ended early, with exit code {self._process.exitcode}.") from None
        if is_error:
            raise answer
        return answer

    def close(self) -> None:
        self._connection.close()
        self._process.join()


def _serve(connection: Connection, given: tuple[Any, ...]) -> None:
    """Do what is asked until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the first one decides what follows
    with kernels.threads(1), suppress(EOFError, BrokenPipeError):
        keeper: Keeper | None = None
        while True:
            method, arguments = connection.recv()
            try:
                keeper = keeper or Keeper(*given)
                answer = (False, getattr(keeper, method)(*arguments))
            except Exception as error:
                answer = (True, error)
            connection.send(answer)
