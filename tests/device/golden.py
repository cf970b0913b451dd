"""The golden vectors: what ``golden.c`` writes, computed by the reference in NumPy."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from genreplay.device import Reference, Settings

N_SCORED = 16
Bits = npt.NDArray[np.bool_]


def rows_of(settings: Settings, n: int) -> Bits:
    """The rows that ``golden.c`` generates, in their order."""
    n_bytes = settings.n_bytes
    z = (np.uint64(12345) + np.arange(1, n * (n_bytes + 1) + 1, dtype=np.uint64) * np.uint64(0x9E3779B9)).astype(
        np.uint32
    )
    z = (z ^ (z >> 16)) * np.uint32(0x21F0AAAD)
    z = (z ^ (z >> 15)) * np.uint32(0xD35A2D97)
    r = (z ^ (z >> 15)).reshape(n, n_bytes + 1)
    kind, r = r[:, :1] >> 30, r[:, 1:]
    own = np.arange(n_bytes) % 4 == kind
    packed = np.where(own, r | r >> 8, r & r >> 8 & r >> 16).astype(np.uint8)
    return np.unpackbits(packed, axis=1, count=settings.n_visible, bitorder="little").astype(bool)


def expected(settings: Settings, n_rows: int) -> bytes:
    """All bytes of the file."""
    rows = rows_of(settings, n_rows + N_SCORED)
    learner = Reference(settings, seed=1).learn(rows[:n_rows])
    learner.saves += 1
    scored = rows[n_rows:].copy()
    flipped = np.unpackbits(np.full(settings.n_bytes, 0x55, dtype=np.uint8), bitorder="little")[: settings.n_visible]
    scored[3::4] ^= flipped.astype(bool)
    energies, p_values = learner.score(scored)
    if settings.integer:
        scores = b"".join(
            struct.pack("<iH", int(e * 256), int(p * 65536)) for e, p in zip(energies, p_values, strict=True)
        )
    else:
        scores = b"".join(struct.pack("<2f", e, p) for e, p in zip(energies, p_values, strict=True))
    saved = learner.to_bytes()
    dreams = np.packbits(learner.dream(N_SCORED), axis=1, bitorder="little")
    return saved + scores + dreams.tobytes()
