"""The real data sets, wherever GENREPLAY_DATA points to them: the right rows, and nothing but them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from genreplay import datasets
from genreplay.datasets import Bits, DatasetError, files, mnist, registry, uci
from tests.datasets.tiny import as_text, git_hash, needs_data

pytestmark = needs_data

# features, rows to train and to test as in Table 1; rows to validate and nats as in the table that came with the files
UCI = {
    "adult": (123, 5000, 1414, 26147, -25.772),
    "connect4": (126, 16000, 4000, 47557, -35.338),
    "dna": (180, 1400, 600, 1186, -100.388),
    "mushrooms": (112, 2000, 500, 5624, -34.232),
    "nips": (500, 400, 100, 1240, -294.802),
    "ocr_letters": (128, 32152, 10000, 10000, -63.738),
    "web": (300, 14000, 3188, 32561, -39.765),
}


def independent_nats(train: Bits, test: Bits) -> float:
    """Mean test log-probability of independent Bernoullis with Laplace's rule."""
    p = (train.sum(axis=0) + 1) / (len(train) + 2)
    return float((test @ np.log(p) + (1 - test) @ np.log1p(-p)).mean())


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of one's own, with nothing in it yet but the folders."""
    for name in ("uci", "mnist"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("GENREPLAY_DATA", str(tmp_path))
    return tmp_path


REAL = Path(os.environ.get("GENREPLAY_DATA") or ".").expanduser()


@pytest.mark.parametrize("name", UCI)
def test_uci_rows_are_those_of_table_1(name: str) -> None:
    n_features, n_train, n_valid, n_test, nats = UCI[name]
    dataset = datasets.load(name)
    assert dataset.train.shape == (n_train, n_features)
    assert dataset.valid.shape == (n_valid, n_features)
    assert dataset.test.shape == (n_test, n_features)
    for rows in (dataset.train, dataset.valid, dataset.test):
        assert rows.dtype == np.uint8
        assert rows.max() == 1
    assert independent_nats(dataset.train, dataset.test) == pytest.approx(nats, abs=0.0006)
    assert dataset.train_labels is None
    assert dataset.state == ("partial" if name == "web" else "exact")
    assert bool(dataset.note) == (name in ("web", "connect4"))


@pytest.mark.parametrize("name", datasets.names())
def test_what_is_told_of_a_set_is_what_is_loaded(name: str) -> None:
    summary, dataset = datasets.describe(name), datasets.load(name)
    assert (summary.n_train, summary.n_valid, summary.n_test) == tuple(map(len, dataset[1:4]))
    assert (summary.n_features, summary.title, summary.state, summary.note) == (
        dataset.n_features,
        dataset.title,
        dataset.state,
        dataset.note,
    )
    for rows, labels in ((dataset.train, dataset.train_labels), (dataset.test, dataset.test_labels)):
        assert labels is None or labels.shape == (len(rows),)


def test_mnist_is_binarised_above_half_intensity() -> None:
    dataset = datasets.load("mnist")
    assert (dataset.train.shape, dataset.valid.shape, dataset.test.shape) == ((60000, 784), (0, 784), (10000, 784))
    assert dataset.train_labels is not None
    assert dataset.test_labels is not None
    assert dataset.train_labels[:10].tolist() == [5, 0, 4, 1, 9, 2, 1, 3, 1, 4]
    assert np.bincount(dataset.test_labels).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    images = _mnist_images("t10k")
    np.testing.assert_array_equal(dataset.test, images > 127)


def test_stochastic_mnist_is_one_draw_with_the_intensities_as_probabilities() -> None:
    dataset = datasets.load("mnist", binarisation="stochastic", seed=3)
    images = _mnist_images("t10k")
    for intensity in (0, 51, 128, 204, 254, 255):
        drawn = dataset.test[images == intensity]
        p = intensity / 255
        assert abs(drawn.mean() - p) <= 5 * np.sqrt(p * (1 - p) / len(drawn))
    np.testing.assert_array_equal(
        datasets.load("mnist", binarisation="stochastic", seed=3).train[:1000], dataset.train[:1000]
    )
    other = datasets.load("mnist", binarisation="stochastic", seed=4)
    assert (other.test != dataset.test).any()


def _mnist_images(part: str) -> Bits:
    file = next(file for file in mnist.SPEC.forms[0].files if f"{part}-images" in file.path)
    return mnist.parse_idx(files.read(REAL / file.path, file)).reshape(-1, 784)


def test_another_binarisation_is_refused() -> None:
    with pytest.raises(DatasetError, match="'binarisation' option of mnist must be 'threshold' or 'stochastic'"):
        datasets.load("mnist", binarisation="dithered")


@pytest.mark.parametrize(
    "path", [file.path for name in ("mnist", "nips") for file in registry.SPECS[name].forms[0].files]
)
def test_damage_to_a_real_file_is_noticed_before_it_is_used(path: str, copied: Path) -> None:
    name = "mnist" if path.startswith("mnist") else "nips"
    for file in registry.SPECS[name].forms[0].files:
        shutil.copyfile(REAL / file.path, copied / file.path)
    content = (REAL / path).read_bytes()
    middle = len(content) // 2
    for damaged in (
        content[:middle] + bytes([content[middle] ^ 16]) + content[middle + 1 :],
        content[:middle] + content[middle + 1 :],
    ):
        (copied / path).write_bytes(damaged)
        with pytest.raises(DatasetError, match=f"{Path(path).name} is damaged"):
            datasets.load(name)


@pytest.mark.parametrize("name", ["adult", "mushrooms", "nips", "ocr_letters"])
def test_the_text_form_is_known_by_its_git_hash_and_gives_the_same_rows(name: str, copied: Path) -> None:
    with open(REAL / f"uci/{name}.npz", "rb") as file:
        packed = uci.parse_packed([file.read()])
    for split in ("train", "valid", "test"):
        (copied / f"uci/{name}.{split}.data").write_bytes(as_text(getattr(packed, split)))
    dataset = datasets.load(name)
    for split in ("train", "valid", "test"):
        np.testing.assert_array_equal(getattr(dataset, split), getattr(packed, split))
    assert dataset.state == "exact"


def test_rcv1_is_a_surrogate_where_only_its_validation_rows_are(copied: Path) -> None:
    shutil.copyfile(REAL / "uci/rcv1_valid_only.npz", copied / "uci/rcv1_valid_only.npz")
    dataset = datasets.load("rcv1")
    assert (dataset.train.shape, dataset.valid.shape, dataset.test.shape) == ((8000, 150), (0, 150), (2000, 150))
    assert (dataset.title, dataset.state) == ("rcv1 (surrogate)", "surrogate")
    assert "first 8,000 to train, the last 2,000 to test" in dataset.note
    # in file order they are the original validation split, to the bit
    whole = next(form for form in registry.SPECS["rcv1"].forms if form.state == "exact")
    assert f"git:{git_hash(as_text(np.concatenate([dataset.train, dataset.test])))}" == whole.files[1].digest
