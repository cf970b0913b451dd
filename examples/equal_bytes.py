"""Replay strategies at equal bytes

Digits arrive class after class. Every model may spend the same bytes on its past, for stored digits or for dreams. The
lines are the log-likelihood of new digits after one pass, in the mean over three seeds; each point is one seed.

A digit stored as 32-bit numbers takes 256 bytes, and that is what the paper compares dreams with: there, dreams are
better. But a digit is 64 bits. Packed into 8 bytes, stored digits are as small as dreams, and better from 4,000 bytes
on, even if only the newest are kept. A random sample of all digits is better at every size. So store rows, packed, if
you may. Dreams are for the case that no row may be kept.
"""

import matplotlib.pyplot as plt
import numpy as np

from genreplay import DreamPool, MemoryReplay, OnlineRBM, datasets

digits = datasets.order(datasets.load("digits"), "sorted")
sizes = (1_000, 4_000, 16_000)  # quick: (1_000,)
seeds = (0, 1, 2)  # quick: (0,)
n_rows = 1437  # quick: 100


def strategies(n):
    """What to rehearse, in n bytes."""
    return {
        "random digits, packed": MemoryReplay(capacity_bytes=n, packed=True, policy="reservoir"),
        "newest digits, packed": MemoryReplay(capacity_bytes=n, packed=True),
        "dreams": DreamPool(size=n // 8),
        "newest digits, 32-bit numbers": MemoryReplay(capacity_bytes=n),
    }


def nats(replay, seed):
    """Mean log-likelihood of the test digits after one pass."""
    rbm = OnlineRBM(16, replay=replay, batch_size=20, random_state=seed)
    return rbm.fit(digits.train[:n_rows]).flush().score(digits.test)


figure, ax = plt.subplots(figsize=(6.4, 4.8), layout="constrained")
for name in strategies(1_000):
    points = np.array([[nats(strategies(n)[name], seed) for seed in seeds] for n in sizes])
    (line,) = ax.plot(sizes, points.mean(axis=1), label=name)
    ax.plot(sizes, points, "o", color=line.get_color(), markersize=4, alpha=0.7)
    for n, mean in zip(sizes, points.mean(axis=1), strict=True):
        print(f"{name}, {n:,} bytes: {mean:.1f} nats")
without = np.mean([nats("none", seed) for seed in seeds])
print(f"no replay: {without:.1f} nats")
ax.axhline(without, color="0.4", linestyle=":", label="no replay")
ax.set(xscale="log", xlabel="bytes for the past", ylabel="log-likelihood of new digits (nats)")
ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
ax.set_xticks([], minor=True)
ax.spines[["top", "right"]].set_visible(False)
figure.legend(loc="outside lower center", ncols=2, frameon=False)
plt.show()
