"""What the command line keeps beside a model is checked like the model itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from genreplay.core import checkpoint
from tests.cli.series import series
from tests.cli.tables import run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("notes") / "m"
    assert run("learn", "-", "-m", path, "--time", "when", "--quiet", stdin=series(400)).exit_code == 0
    return path


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("schema", []),
        ("schema", [["when", "timestamp"]]),
        ("schema", [["when", "timestamp"], ["load", "number"], ["noise", "number"], ["shop", "number"]]),
        ("schema", [["when", "timestamp"], ["load", "number"], ["load", "number"], ["shop", "category"]]),
        ("schema", [["when", "timestamp"], ["load", "colour"], ["noise", "number"], ["shop", "category"]]),
        ("account", {"n_read": -1}),
        ("account", {"n_read": 2**63}),
        ("account", {"n_read": 1, "n_skipped": 2}),
        ("account", {"n_read": 400, "first_record": 3}),
        ("account", {"n_raed": 400}),
        ("times", ["load", None]),
        ("times", ["when", 1e300]),
        ("times", ["when", 0.0, 0.0]),
        ("site", "north"),
    ],
)
def test_forged_notes_are_refused_in_one_sentence(name: str, value: Any, model: Path, tmp_path: Path) -> None:
    tensors, header = checkpoint.read(model)
    header["extra"]["extra"][name] = value
    path = tmp_path / "m"
    checkpoint.write(path, tensors, header)
    before = path.read_bytes()
    for arguments in (["score", "-", "-m", path], ["info", path], ["learn", "-", "-m", path, "--more"]):
        done = run(*arguments, stdin=series(5))
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert done.stderr.startswith(f"Error: {path} cannot be read. ")
    assert path.read_bytes() == before
