"""Carry out runs in parallel; write each result as it finishes; continue after any interruption.

A results file has one JSON object a line: kind, version, settings (those that differ from their defaults), seed,
figures, seconds, peak bytes, versions of the libraries. A run is finished when the file has a record with its kind,
version, settings and seed. The file is only ever appended to, one whole line at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import joblib
from threadpoolctl import threadpool_limits

from genreplay.experiments.run import Run, describe, identity, seeds_of

Record = dict[str, Any]
_LINE_START = b'{"kind": "'
_EARLIER_LINE_START = b'{"key": "'
_FIELDS = {"kind", "version", "settings", "seed", "figures"}


class Job(NamedTuple):
    """A run with a seed."""

    run: Run
    seed: int

    @property
    def identity(self) -> str:
        """Equal to the identity of its record."""
        return identity(describe(self.run, self.seed))

    @property
    def title(self) -> str:
        """A few words for a progress bar."""
        return f"{self.run.title} #{self.seed}"


def expand(runs: Iterable[Run], n_seeds: int) -> list[Job]:
    """All jobs, each once, the seeds of a run side by side."""
    jobs = {job.identity: job for run in runs for seed in seeds_of(run, n_seeds) for job in (Job(run, seed),)}
    return list(jobs.values())


class ResultsError(ValueError):
    """A file that should have results has something else."""


def read(path: Path) -> list[Record]:
    """The results in a file; a last line that was cut off by a crash does not count."""
    if not path.exists():
        return []
    *lines, torn = path.read_bytes().split(b"\n")
    if any(line.startswith(_EARLIER_LINE_START) for line in (*lines, torn)):
        raise ResultsError(
            f"{path} has results in the form of an earlier genreplay: bring it up to date with "
            f"`python tools/migrate_results.py {path}`."
        )
    try:
        records = [json.loads(line) for line in lines if line]
        ours = all(isinstance(record, dict) and set(record) >= _FIELDS for record in records)
    except ValueError:
        ours = False
    if not ours or not (torn.startswith(_LINE_START) or _LINE_START.startswith(torn)):
        raise ResultsError(f"{path} is no results file of genreplay: name another one.")
    return records


def carry_out(jobs: Sequence[Job], path: Path, n_workers: int = 1, cluster: str | None = None) -> Iterator[Record]:
    """Run what the file lacks, append each result to it, and yield it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _repair(path)
    finished = {identity(record) for record in read(path)}
    todo = [job for job in jobs if job.identity not in finished]
    notes = path.with_suffix(".progress")
    with _backend(n_workers, cluster):
        results = joblib.Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs")(
            joblib.delayed(_execute)(job, notes) for job in todo
        )
        for record in results:
            _append(path, record)
            yield record


def progress_of(path: Path) -> dict[str, tuple[str, float, str]]:
    """For every run under way on this machine: its title, the share that is done, and what it is doing."""
    under_way = {}
    for note in path.with_suffix(".progress").glob("*.json"):
        try:
            title, share, doing = json.loads(note.read_text())
        except (OSError, ValueError):
            continue  # being rewritten, or just finished
        under_way[note.stem] = (title, share, doing)
    return under_way


@contextmanager
def _backend(n_workers: int, cluster: str | None) -> Iterator[None]:
    if cluster is None:
        with joblib.parallel_config(backend="loky", n_jobs=n_workers, inner_max_num_threads=1):
            yield
        return
    from distributed import Client

    with Client(cluster) as client, joblib.parallel_config(backend="dask", client=client):  # type: ignore[no-untyped-call]
        yield


def _execute(job: Job, notes: Path) -> Record:
    """Carry out one run in a worker, with a note of its progress beside the results file."""
    run, seed = job
    note = notes / f"{hashlib.sha256(job.identity.encode()).hexdigest()[:16]}.json"
    last = 0.0

    def report(share: float, doing: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > 0.5:
            last = now
            notes.mkdir(parents=True, exist_ok=True)
            temporary = note.with_suffix(".part")
            temporary.write_text(json.dumps([job.title, share, doing]))
            os.replace(temporary, note)

    report(0.0, "starting")
    began = time.perf_counter()
    traced = not getattr(run, "timed", False)
    if traced:
        tracemalloc.start()
    try:
        with threadpool_limits(1):  # one thread a run: the result must not depend on the number of cores
            figures = run.execute(seed, report)
        peak_bytes = tracemalloc.get_traced_memory()[1] if traced else None
    finally:
        tracemalloc.stop()
        note.unlink(missing_ok=True)
    return {
        **describe(run, seed),
        "figures": figures,
        "seconds": round(time.perf_counter() - began, 3),
        "peak_bytes": peak_bytes,
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in ("genreplay", "numpy", "scikit-learn")},
        },
    }


def _append(path: Path, record: Record) -> None:
    with open(path, "ab") as file:
        file.write(json.dumps(record).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _repair(path: Path) -> None:
    """Cut off a last line that a crash left unfinished, and delete progress notes of runs that have ended."""
    if path.exists():
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            os.truncate(path, len(whole))
    for note in path.with_suffix(".progress").glob("*"):
        note.unlink(missing_ok=True)
