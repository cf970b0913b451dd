"""Download a data set's files into the user's cache, each verified before it is given its final name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pooch  # type: ignore[import-untyped]
import requests
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from genreplay.datasets import files
from genreplay.datasets.base import DatasetError
from genreplay.datasets.files import DataFile
from genreplay.datasets.registry import spec_of

TIMEOUT = 30
"""seconds without a byte after which an address counts as unreachable"""


def fetch(name: str, progress: bool = True, base_urls: Sequence[str] | None = None) -> list[Path]:
    """Make sure that a data set's files are here and intact, and return their paths.

    Nothing is downloaded if they are. ``base_urls`` replaces the public addresses.

    >>> fetch("toy")  # needs no file
    []
    """
    spec = spec_of(name)
    full = [form for form in spec.forms if form.state != "surrogate"]
    for form in full:
        folder = files.folder_with(form.files)
        # What a download put into the cache may be replaced below if it is damaged; the user's own files may not.
        if folder is not None and not (form.base_urls and folder.kind == "cache"):
            paths = [folder.path / file.path for file in form.files]
            for path, file in zip(paths, form.files, strict=True):
                files.read(path, file)
            return paths

    source = spec.source
    if source is None:
        raise DatasetError(f"{name} cannot be fetched: {spec.how_to_get}.")
    targets = {files.cache().path / file.path: file for file in source.files}
    wanted = {target: file for target, file in targets.items() if not _is_intact(target, file)}
    if wanted:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), disable=not progress) as display:
            for target, file in wanted.items():
                _fetch_file(file, target, base_urls or source.base_urls, display)
    return list(targets)


def _fetch_file(file: DataFile, target: Path, base_urls: Sequence[str], display: Progress) -> None:
    """Try one address after the other."""
    failures = []
    for base_url in base_urls:
        url = base_url + file.remote
        try:
            _download(url, file, target, display)
            return
        except requests.RequestException as error:
            failures.append(f"{url} {_reason(error)}")
        except DatasetError:
            failures.append(f"{url} gave other content than expected")
        except OSError as error:
            raise DatasetError(f"{target} cannot be written ({error.strerror}).") from error
    raise DatasetError(
        f"{'; '.join(failures)}: try again later, or get {base_urls[0] + file.remote} by hand and put it at {target} "
        f"(expected: {file.expected})."
    )


def _download(url: str, file: DataFile, target: Path, display: Progress) -> None:
    """Download beside the target, verify, rename: under the final name there is the whole file or none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=target.parent) as folder:
        part = Path(folder) / target.name
        bar = _Bar(display, target.name)
        try:
            pooch.HTTPDownloader(progressbar=bar, chunk_size=1 << 16, timeout=TIMEOUT)(url, str(part), None)
        finally:
            bar.close()
        if file.published and not files.matches(part.read_bytes(), file.published):
            raise DatasetError(f"{part} is not the published file.")
        files.read(part, file)
        os.replace(part, target)


def _is_intact(path: Path, file: DataFile) -> bool:
    try:
        files.read(path, file)
    except DatasetError:
        return False
    return True


def _reason(error: requests.RequestException) -> str:
    """The reason in a few words; requests gives a paragraph."""
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "broke off in the middle"
    # A stall in the middle of a transfer is a ConnectionError, too; only its text shows that it timed out.
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return f"was silent for {TIMEOUT} seconds"
    if isinstance(error, requests.ConnectionError):
        return "could not be reached"
    return f"failed ({type(error).__name__})"


class _Bar:
    """A rich progress bar with the interface that pooch expects: ``total``, ``update``, ``reset``, ``close``."""

    def __init__(self, display: Progress, description: str) -> None:
        self._display = display
        self._task = display.add_task(description, total=None)

    @property
    def total(self) -> float | None:
        return self._display.tasks[self._display.task_ids.index(self._task)].total

    @total.setter
    def total(self, n_bytes: int) -> None:
        self._display.update(self._task, total=n_bytes or None)

    def update(self, n_bytes: int) -> None:
        self._display.advance(self._task, n_bytes)

    def reset(self) -> None:
        self._display.reset(self._task)

    def close(self) -> None:
        self._display.stop_task(self._task)
