"""Digests of what is learned, to show that a refactoring changes no bit.

``python tools/digests.py --out before.json`` before the change, ``python tools/digests.py --compare before.json`` after
it, on the same machine: other processors round differently. Takes some minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay import OnlineRBM, OnlineRBMDetector
from genreplay.core import kernels
from genreplay.core.recipe import RECIPES
from genreplay.core.replay import BY_NAME

N_SEEDS = 3
N_UPDATES = 30
BATCH_SIZE = 100


def bit_rows(seed: int) -> npt.NDArray[np.float32]:
    """Five noisy patterns, one after the other, so that rehearsal has something to do."""
    rng = np.random.default_rng(1_000 + seed)
    patterns = rng.random((5, 120)) < 0.12
    labels = np.sort(rng.integers(5, size=N_UPDATES * BATCH_SIZE))
    return np.asarray(patterns[labels] ^ (rng.random((len(labels), 120)) < 0.03), dtype=np.float32)


def table_rows(seed: int) -> npt.NDArray[np.object_]:
    """Numbers, a category, missing cells, and a shift in the middle."""
    rng = np.random.default_rng(2_000 + seed)
    n = 500 + N_UPDATES * BATCH_SIZE
    rows = np.empty((n, 5), dtype=object)
    rows[:, :4] = rng.normal(size=(n, 4))
    rows[n // 2 :, 2] += 3
    rows[:, 4] = np.array(["red", "blue", "green"])[rng.integers(3, size=n)]
    rows[rng.random(n) < 0.05, 3] = None
    return rows


def digest(arrays: Iterable[npt.NDArray[Any]]) -> str:
    """A short name for the bits of some arrays."""
    content = hashlib.sha256()
    for array in arrays:
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()[:16]


def learned() -> Iterator[tuple[str, str]]:
    """What is learned, by the path of the products, the seed, the recipe and the replay strategy."""
    for path in ("dense", "sparse"):
        with kernels.use(path):
            for seed in range(N_SEEDS):
                for name, recipe in RECIPES.items():
                    for replay, strategy in BY_NAME.items():
                        if strategy.needs_chains and recipe.negative.n_chains == 0:
                            continue
                        model = OnlineRBM(80, recipe=recipe, replay=replay, batch_size=BATCH_SIZE, random_state=seed)
                        state = model.partial_fit(bit_rows(seed)).state_
                        yield f"{path}/{seed}/{name}/{replay}", digest([*state.rbm, *state.velocity, *state.model])
                detector = OnlineRBMDetector(random_state=seed)
                surprise = detector.learn_scored(table_rows(seed))
                yield f"{path}/{seed}/detector", digest([*detector._judge().state.rbm, np.nan_to_num(surprise)])


def main() -> None:
    """Write digests, or compare with those of a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the digests")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="digests to compare with")
    options = parser.parse_args()
    found = dict(learned())
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n")
    if options.compare:
        before = json.loads(options.compare.read_text())
        changed = sorted(name for name in found.keys() | before.keys() if found.get(name) != before.get(name))
        print(f"{len(found)} digests, {len(changed)} differ{': ' if changed else ''}{', '.join(changed)}")
        raise SystemExit(bool(changed))


if __name__ == "__main__":
    main()
