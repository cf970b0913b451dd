from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

from genreplay import datasets
from genreplay.datasets import DatasetError, files, registry
from genreplay.datasets.files import DataFile
from tests.datasets import tiny as tiny_module
from tests.datasets.tiny import FILES, ROWS, write_into


@pytest.mark.usefixtures("tiny")
def test_genreplay_data_is_looked_in_before_the_cache(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_into(cache)
    assert datasets.describe("tiny").where == "cache"
    monkeypatch.setenv("GENREPLAY_DATA", str(tmp_path / "mine"))
    assert datasets.describe("tiny").where == "cache"
    write_into(tmp_path / "mine")
    assert datasets.describe("tiny").where == "GENREPLAY_DATA"


@pytest.mark.usefixtures("tiny")
def test_text_files_are_read_as_rows_of_bits(cache: Path) -> None:
    write_into(cache)
    dataset = datasets.load("tiny")
    for split, rows in zip((dataset.train, dataset.valid, dataset.test), ROWS, strict=True):
        assert split.dtype == np.uint8
        assert split.flags.writeable
        np.testing.assert_array_equal(split, rows)
    assert (dataset.state, dataset.note, dataset.title, dataset.n_features) == ("exact", "", "tiny", 9)
    assert dataset.train_labels is None


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("which", range(3))
def test_one_flipped_bit_or_one_deleted_digit_is_noticed(cache: Path, which: int) -> None:
    path = write_into(cache)[which]
    content = path.read_bytes()
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    shorter = content[:middle] + content[middle + 1 :]
    for damaged in (flipped, shorter, content[:-1], b""):
        path.write_bytes(damaged)
        with pytest.raises(DatasetError, match=f"{path.name} is damaged: .* Delete it and fetch it again"):
            datasets.load("tiny")
        assert datasets.describe("tiny").state == "damaged"


def test_no_damage_to_a_gzipped_file_gives_other_content(tmp_path: Path) -> None:
    # A flipped bit in the header, such as in the time stamp, harms nothing; anywhere else it must be noticed.
    content = bytes(np.random.default_rng(0).integers(10, size=300, dtype=np.uint8))
    compressed = gzip.compress(content, mtime=0)
    file = DataFile("labels.gz", f"sha256:{hashlib.sha256(content).hexdigest()}")
    path = tmp_path / file.path
    n_noticed = 0
    for position in range(len(compressed)):
        for bit in range(8):
            damaged = bytearray(compressed)
            damaged[position] ^= 1 << bit
            path.write_bytes(damaged)
            try:
                assert files.read(path, file) == content
            except DatasetError:
                n_noticed += 1
        path.write_bytes(compressed[:position] + compressed[position + 1 :])
        with pytest.raises(DatasetError):
            files.read(path, file)
    assert n_noticed >= 8 * (len(compressed) - 10)  # all but the ten bytes of the header


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("which", range(3))
def test_a_missing_file_is_one_sentence_that_says_how_to_get_it(cache: Path, which: int) -> None:
    write_into(cache)[which].unlink()
    with pytest.raises(DatasetError) as raised:
        datasets.load("tiny")
    message = str(raised.value)
    assert "run `genreplay data fetch tiny`, or set GENREPLAY_DATA to a folder that has" in message
    assert FILES[0].path in message
    assert "\n" not in message


@pytest.mark.usefixtures("cache")
def test_a_variable_that_names_no_folder_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENREPLAY_DATA", "no-such-folder")
    with pytest.raises(DatasetError, match="GENREPLAY_DATA names no-such-folder, which is not a folder"):
        datasets.load("mnist")


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", ["dna", "web"])
def test_a_set_without_a_verified_public_copy_names_the_file_and_its_hash(name: str) -> None:
    with pytest.raises(DatasetError, match=rf"no verified public copy .* uci/{name}.npz \(sha256 [0-9a-f]{{64}}\)"):
        datasets.load(name)


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(DatasetError, match=r"no data set 'minst'\. Known are: mnist, adult, .*, toy, digits"):
        datasets.load("minst")


def test_an_unknown_option_lists_the_known_ones() -> None:
    with pytest.raises(DatasetError, match=r"digits has no option 'sed'\. It has: seed"):
        datasets.load("digits", sed=3)


@pytest.mark.usefixtures("tiny")
def test_a_surrogate_is_used_only_where_nothing_better_is_found(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tiny_module.SPEC.forms[0]
    part = whole._replace(
        n_rows=(6, 0, 6),
        files=(FILES[1],) * 3,
        base_urls=(),
        state="surrogate",
        note="The validation rows in place of the others.",
    )
    monkeypatch.setitem(registry.SPECS, "tiny", tiny_module.SPEC._replace(forms=(whole, part)))
    monkeypatch.setenv("GENREPLAY_DATA", str(tmp_path / "mine"))
    for path in (mine := write_into(tmp_path / "mine"))[::2]:
        path.unlink()
    dataset = datasets.load("tiny")
    assert (dataset.name, dataset.title, dataset.state) == ("tiny", "tiny (surrogate)", "surrogate")
    assert dataset.note == "The validation rows in place of the others."
    np.testing.assert_array_equal(dataset.train, ROWS[1])
    write_into(cache)
    assert mine[1].exists()
    assert datasets.load("tiny").state == "exact"
