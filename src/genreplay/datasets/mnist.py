"""MNIST: 28 x 28 images of handwritten digits, made binary (LeCun, Cortes, Burges; Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from genreplay.datasets.base import Bits, DatasetError, Splits
from genreplay.datasets.files import DataFile
from genreplay.datasets.spec import Form, Spec

Intensities: TypeAlias = npt.NDArray[np.uint8]


def parse(
    contents: Sequence[bytes], binarisation: Literal["threshold", "stochastic"] = "threshold", seed: int = 0
) -> Splits:
    """Turn the four idx files into bits: at intensity > 127, or one draw that ``seed`` fixes."""
    if binarisation not in ("threshold", "stochastic"):
        raise DatasetError(
            f"The 'binarisation' option of mnist must be 'threshold' or 'stochastic'. Got {binarisation!r} instead."
        )
    train_images, train_labels, test_images, test_labels = (parse_idx(content) for content in contents)
    rng = np.random.default_rng(seed) if binarisation == "stochastic" else None
    train, test = (binarise(images, rng).reshape(len(images), -1) for images in (train_images, test_images))
    return Splits(train, train[:0], test, train_labels.astype(np.int64), test_labels.astype(np.int64))


def parse_idx(content: bytes) -> Intensities:
    """Read an idx file of bytes: two zeros, a type, the number of axes, their lengths, the values.

    >>> parse_idx(bytes([0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 3, 7, 8, 9]))
    array([[7, 8, 9]], dtype=uint8)
    """
    n_axes = content[3]
    shape = np.frombuffer(content, dtype=">u4", count=n_axes, offset=4)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * n_axes).reshape(shape)


def binarise(images: Intensities, rng: np.random.Generator | None = None) -> Bits:
    """Set the pixels of intensity > 127; or, given a generator, each with probability intensity / 255.

    >>> binarise(np.array([0, 127, 128, 255], dtype=np.uint8))
    array([0, 0, 1, 1], dtype=uint8)
    """
    # A uniform integer below 255 is less than the intensity with exactly that probability.
    level: int | Intensities = 127 if rng is None else rng.integers(255, size=images.shape, dtype=np.uint8)
    return (images > level).astype(np.uint8)


SPEC = Spec(
    "mnist",
    n_features=784,
    forms=(
        Form(
            n_rows=(60000, 0, 10000),
            parse=parse,
            files=tuple(
                DataFile(f"mnist/{name}.gz", f"sha256:{content}", f"{name}.gz", f"md5:{published}")
                for name, content, published in (
                    (
                        "train-images-idx3-ubyte",
                        "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
                        "f68b3c2dcbeaaa9fbdd348bbdeb94873",
                    ),
                    (
                        "train-labels-idx1-ubyte",
                        "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
                        "d53e105ee54ea40749a09fcbcd1e9432",
                    ),
                    (
                        "t10k-images-idx3-ubyte",
                        "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                        "9fb629c4189551a2d022fa330f9573f3",
                    ),
                    (
                        "t10k-labels-idx1-ubyte",
                        "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
                        "ec29112dd5afa0611ce80d1b7f02629c",
                    ),
                )
            ),
            base_urls=(
                "https://ossci-datasets.s3.amazonaws.com/mnist/",
                "https://storage.googleapis.com/cvdf-datasets/mnist/",
            ),
        ),
    ),
)
