"""Downloads against a server on this machine that can also behave badly."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from genreplay import datasets
from genreplay.datasets import DatasetError, files, registry
from genreplay.datasets.fetch import fetch
from tests.datasets import tiny as tiny_module
from tests.datasets.tiny import FILES, ROWS, SERVED, write_into

GZ, TEXT = "tiny/tiny.train.data.gz", "tiny/tiny.test.data"


class Server(ThreadingHTTPServer):
    """Serves the tiny data set from memory, and counts what it is asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies = dict(SERVED)
        self.breaks_off: set[str] = set()
        self.stalls = threading.Event()
        self.done = threading.Event()
        self.asked: list[str] = []
        self.url = f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        path = self.path.removeprefix("/")
        self.server.asked.append(path)
        if path not in self.server.bodies:
            self.send_error(404)
            return
        body = self.server.bodies[path]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.stalls.is_set():
            self.server.done.wait()
        self.wfile.write(body[: len(body) // 2] if path in self.server.breaks_off else body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with _running() as running:
        yield running


@pytest.fixture
def mirror() -> Iterator[Server]:
    with _running() as running:
        yield running


class _running:
    def __enter__(self) -> Server:
        self.server = Server()
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        return self.server

    def __exit__(self, *exc: object) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


def closed_port() -> str:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/"


def everything_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.name[0] == "."}


pytestmark = pytest.mark.usefixtures("tiny")


def test_files_are_downloaded_into_the_cache_and_load_from_there(server: Server, cache: Path) -> None:
    paths = fetch("tiny", progress=False, base_urls=[server.url])
    assert paths == [cache / file.path for file in FILES]
    assert [path.read_bytes() for path in paths] == list(SERVED.values())
    assert everything_in(cache) == {file.path.replace("/", os.sep) for file in FILES}
    np.testing.assert_array_equal(datasets.load("tiny").train, ROWS[0])


def test_what_is_here_and_intact_is_not_downloaded_again(server: Server, cache: Path) -> None:
    write_into(cache)[1].unlink()
    fetch("tiny", progress=False, base_urls=[server.url])
    assert server.asked == ["tiny/tiny.valid.data"]
    fetch("tiny", progress=False, base_urls=[server.url])
    assert server.asked == ["tiny/tiny.valid.data"]


def test_a_damaged_file_in_the_cache_is_replaced(server: Server, cache: Path) -> None:
    write_into(cache)[2].write_bytes(b"0,1\n")
    fetch("tiny", progress=False, base_urls=[server.url])
    assert server.asked == [TEXT]
    np.testing.assert_array_equal(datasets.load("tiny").test, ROWS[2])


def test_the_users_own_files_are_used_and_never_replaced(
    server: Server, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GENREPLAY_DATA", str(tmp_path / "mine"))
    paths = write_into(tmp_path / "mine")
    assert fetch("tiny", progress=False, base_urls=[server.url]) == paths
    paths[2].write_bytes(b"0,1\n")
    with pytest.raises(DatasetError, match="is damaged"):
        fetch("tiny", progress=False, base_urls=[server.url])
    assert paths[2].read_bytes() == b"0,1\n"
    assert server.asked == []
    assert not cache.exists()


def test_a_surrogate_does_not_stand_in_the_way_of_the_whole(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tiny_module.SPEC.forms[0]._replace(files=(FILES[1],), base_urls=(), state="surrogate")
    monkeypatch.setitem(registry.SPECS, "tiny", tiny_module.SPEC._replace(forms=(*tiny_module.SPEC.forms, part)))
    for path in write_into(cache)[::2]:
        path.unlink()
    fetch("tiny", progress=False, base_urls=[server.url])
    assert datasets.load("tiny").state == "exact"


def corrupt(server: Server, path: str) -> None:
    body = server.bodies[path]
    server.bodies[path] = body[:-1] + bytes([body[-1] ^ 1])


def recompress(server: Server, path: str) -> None:
    server.bodies[path] += b"\0" * 8  # padding that gzip allows: the same content, but not the published file


def remove(server: Server, path: str) -> None:
    del server.bodies[path]


def break_off(server: Server, path: str) -> None:
    server.breaks_off.add(path)


@pytest.mark.parametrize(
    ("path", "misbehave", "reason"),
    [
        (GZ, corrupt, "gave other content than expected"),
        (TEXT, corrupt, "gave other content than expected"),
        (GZ, recompress, "gave other content than expected"),
        (TEXT, remove, "answered 404 Not Found"),
        (GZ, break_off, "broke off in the middle"),
        (TEXT, break_off, "broke off in the middle"),
    ],
)
def test_a_bad_transfer_leaves_nothing_and_says_what_to_do_by_hand(
    server: Server, cache: Path, path: str, misbehave: object, reason: str
) -> None:
    assert callable(misbehave)
    misbehave(server, path)
    with pytest.raises(DatasetError) as raised:
        fetch("tiny", progress=False, base_urls=[server.url])
    file = next(file for file in FILES if file.remote == path)
    message = str(raised.value)
    assert f"{server.url}{path} {reason}" in message
    assert str(cache / file.path) in message
    assert f"expected: {file.expected}" in message
    assert "\n" not in message
    assert not (cache / file.path).exists()
    assert not any("fetch-" in name for name in everything_in(cache))


def test_an_address_that_is_down_is_named(cache: Path) -> None:
    address = closed_port()
    with pytest.raises(DatasetError, match=f"{address}tiny/tiny.train.data.gz could not be reached: .* by hand"):
        fetch("tiny", progress=False, base_urls=[address])
    assert everything_in(cache) == set()


@pytest.mark.parametrize("misbehave", [corrupt, remove, break_off, None])
def test_the_second_address_is_used_when_the_first_fails(server: Server, mirror: Server, misbehave: object) -> None:
    first = server.url
    if callable(misbehave):
        misbehave(server, GZ)
    else:
        first = closed_port()
    fetch("tiny", progress=False, base_urls=[first, mirror.url])
    assert GZ in mirror.asked
    np.testing.assert_array_equal(datasets.load("tiny").train, ROWS[0])


def test_an_address_that_falls_silent_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genreplay.datasets.fetch.TIMEOUT", 0.2)
    server.stalls.set()
    with pytest.raises(DatasetError, match=f"{server.url}{GZ} was silent for 0.2 seconds"):
        fetch("tiny", progress=False, base_urls=[server.url])
    server.done.set()


def test_when_all_addresses_fail_all_are_named(server: Server, mirror: Server) -> None:
    remove(server, GZ)
    corrupt(mirror, GZ)
    with pytest.raises(DatasetError) as raised:
        fetch("tiny", progress=False, base_urls=[server.url, mirror.url])
    assert f"{server.url}{GZ} answered 404 Not Found; {mirror.url}{GZ} gave other" in str(raised.value)


def test_progress_is_shown_on_stderr(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    fetch("tiny", base_urls=[server.url])
    shown = capsys.readouterr()
    assert shown.out == ""
    assert all(Path(file.path).name in shown.err for file in FILES)


def test_a_cache_that_cannot_be_written_is_said(server: Server, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    with pytest.raises(DatasetError, match="cannot be written"):
        fetch("tiny", progress=False, base_urls=[server.url])


@pytest.mark.parametrize("name", ["dna", "web"])
def test_sets_without_a_verified_public_copy_are_not_downloaded(name: str) -> None:
    with pytest.raises(
        DatasetError, match=f"{name} cannot be fetched: no verified public copy is known; put uci/{name}"
    ):
        fetch(name, progress=False)


def test_every_downloadable_file_is_verified_by_a_known_hash() -> None:
    sources = [spec.source for spec in registry.SPECS.values() if spec.source is not None]
    assert len(sources) == 8  # mnist, six of the UCI suite, tiny
    for file in (file for form in sources for file in form.files):
        algorithm, value = file.digest.split(":")
        assert len(value) == {"sha256": 64, "git": 40}[algorithm]
        assert file.remote
        assert files.matches(b"", file.digest) is False
