"""The same stream learned on every path and in both number types: other roundings, the same quality."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay import datasets
from genreplay.core import PAPER, GenerativeReplay, MemoryReplay, Replay, kernels, online, partition
from genreplay.core.rbm import free_energy

needs_numba = pytest.mark.skipif(kernels.compiled_loops() is None, reason="sparse products need Numba")


def nats_of(replay: Replay, reconstruction: str, path: str, dtype: type, seed: int) -> tuple[float, float]:
    """Test nats on scikit-learn's digits after one pass, and the error of AIS."""
    data = datasets.load("digits")
    train, test = (np.asarray(rows, dtype=dtype) for rows in (data.train, data.test))
    rng = np.random.default_rng(seed)
    recipe = PAPER.replace(replay=replay, rehearsal__n_rows=100, negative__reconstruction=reconstruction)
    with kernels.use(path):  # type: ignore[arg-type]
        state = online.init(train.shape[1], 100, recipe, rng, 50, dtype=dtype)
        *_, (state, _) = online.observe(state, train[rng.permutation(len(train))], recipe, 50)
        base = partition.base_rate_biases(state.ones, state.n_learned)
        log_z = partition.ais(state.rbm, rng, partition.schedule(5_800), base_bias=base)
        return float(-free_energy(state.rbm, test).mean() - log_z.log_z), log_z.std_error


@pytest.mark.slow
@needs_numba
@pytest.mark.parametrize("products", ["auto"], indirect=True)  # each path is chosen below
@pytest.mark.parametrize("reconstruction", ["probabilities", "samples"])
@pytest.mark.parametrize("replay", [GenerativeReplay(), MemoryReplay(capacity="infinite")], ids=["dreams", "memory"])
def test_paths_and_number_types_agree_within_their_error(replay: Replay, reconstruction: str) -> None:
    ways = [("dense", np.float32), ("sparse", np.float32), ("dense", np.float64), ("sparse", np.float64)]
    means, errors = [], []
    for path, dtype in ways:
        nats = np.array([nats_of(replay, reconstruction, path, dtype, seed) for seed in range(3)])
        means.append(nats[:, 0].mean())
        # of the mean over seeds: what AIS is uncertain of, and what the seeds differ by
        errors.append(np.hypot(np.sqrt((nats[:, 1] ** 2).sum()) / 3, nats[:, 0].std(ddof=1) / np.sqrt(3)))
    for (path, dtype), mean, error in zip(ways, means, errors, strict=True):
        print(f"{path} {dtype.__name__}: {mean:.3f} ± {error:.3f}")
    for mean, error in zip(means[1:], errors[1:], strict=True):
        assert abs(mean - means[0]) < 3 * np.hypot(error, errors[0])
