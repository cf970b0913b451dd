"""``genreplay merge``: model files in, a model file out that every other command takes; rounds over a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from genreplay import OnlineRBM, OnlineRBMDetector
from tests.cli.tables import run, table


def learn(folder: Path, name: str, rows: str, *options: object) -> Path:
    path = folder / name
    done = run("learn", "-", "-m", path, "--quiet", "--warm-up", 100, "--hidden", 8, *options, stdin=rows)
    assert done.exit_code == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("nodes")
    return [learn(folder, f"node-{seed}", table(400, seed)) for seed in (1, 2)]


def test_a_merged_file_is_scored_sampled_and_learned_like_any_other(nodes: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "hub"
    done = run("merge", *nodes, "--out", out, "--dreams", 1_000, "--json")
    assert done.exit_code == 0, done.stderr
    assert "Merged 2 models" in done.stderr
    said = json.loads(done.stdout)
    assert (said["models"], said["rows"], said["model"]) == (2, 800, str(out))
    assert said["bytes_read"] == sum(path.stat().st_size for path in nodes)
    assert len(run("sample", "-m", out, "-n", 5).stdout.splitlines()) == 6
    strange = "age,colour,member,when\n20,red,true,2024-01-01T10:00:00Z\n60,red,true,2024-01-01T10:00:00Z\n"
    scored = [line.split(",") for line in run("score", "-", "-m", out, stdin=strange).stdout.splitlines()[1:]]
    assert float(scored[0][1]) < float(scored[1][1])
    more = run("learn", "-", "-m", out, "--more", "--json", stdin=table(100, 3))
    assert more.exit_code == 0, more.stderr
    assert json.loads(more.stdout)["learned"] == 900
    assert run("info", out).exit_code == 0


def test_the_same_seed_gives_the_same_file(nodes: list[Path], tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        assert run("merge", *nodes, "-o", tmp_path / name, "--dreams", 500, "--seed", seed).exit_code == 0
    contents = [(tmp_path / name).read_bytes() for name in "abc"]
    assert contents[0] == contents[1] != contents[2]


def test_rounds_over_a_folder_count_every_row_once(nodes: list[Path], tmp_path: Path) -> None:
    hub = tmp_path / "hub-1"
    assert run("merge", *nodes, "-o", hub, "--dreams", 500).exit_code == 0
    for node in (1, 2):
        shutil.copy(hub, tmp_path / f"node-{node}")
        done = run(
            "learn", "-", "-m", tmp_path / f"node-{node}", "--more", "--quiet", stdin=table(100 * node, 10 + node)
        )
        assert done.exit_code == 0, done.stderr
    again = [tmp_path / f"node-{node}" for node in (1, 2)]
    done = run("merge", *again, "--since", hub, "-o", tmp_path / "hub-2", "--dreams", 500, "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["rows"] == 800 + 300


def test_models_of_bits_are_merged_too(tmp_path: Path) -> None:
    for place in (0, 1):
        OnlineRBM(4, random_state=0).fit(np.eye(6)[np.full(200, place)]).save(tmp_path / f"{place}")
    done = run("merge", tmp_path / "0", tmp_path / "1", "-o", tmp_path / "both", "--dreams", 300, "--hidden", 5)
    assert done.exit_code == 0, done.stderr
    both = OnlineRBM.load(tmp_path / "both")
    assert (both.n_hidden, both.n_rows_seen_) == (5, 400)
    refused = run("merge", tmp_path / "0", "-o", tmp_path / "more", "--counts-as", 5)
    assert (refused.exit_code, "--counts-as is for models of tables" in refused.stderr) == (2, True)


def test_models_that_python_saved_are_merged_by_the_names_of_their_columns(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(200, 2))
    for name in "ab":
        OnlineRBMDetector(random_state=0).fit(rows).save(tmp_path / name)
    done = run("merge", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "c", "--dreams", 300)
    assert done.exit_code == 0, done.stderr
    assert OnlineRBMDetector.load(tmp_path / "c").n_learned_ == 400


def test_bad_input_is_one_sentence_and_exit_code_2(nodes: list[Path], tmp_path: Path) -> None:
    out, node = tmp_path / "out", nodes[0]
    other = learn(tmp_path, "other", "age,size\n" + "".join(f"{k % 7},{k % 5}\n" for k in range(200)))
    started = tmp_path / "started"
    OnlineRBMDetector().partial_fit(np.ones((50, 2))).save(started)
    (tmp_path / "text").write_text("no model")
    for arguments, said in [
        (["-o", out], "Missing argument"),
        ([node], "Missing option"),
        ([node, tmp_path / "none", "-o", out], "cannot be read"),
        ([node, tmp_path / "text", "-o", out], "text"),
        ([node, other, "-o", out], f"{other} differs from {node} in column"),
        ([node, started, "-o", out], "is still in its warm-up"),
        ([node, "-o", node], "must not overwrite"),
        ([node, "-o", tmp_path / "no" / "folder"], "There is no folder"),
        ([node, "-o", other], "use --force"),
        ([node, "-o", out, "--since", node], "No model has learned a row"),
    ]:
        done = run("merge", *arguments)
        assert done.exit_code == 2, (arguments, done.output)
        assert said in " ".join(done.stderr.split()), (arguments, done.stderr)
        assert not out.exists()
