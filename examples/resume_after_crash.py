"""Resume after a crash

A model learns from a stream and is saved after every 400 rows. After 1,100 rows the program crashes. A new one loads
the file, asks the model how many rows it has read, and goes on from there.

The picture shows how well each model fits new digits while it learns. The run that was resumed starts at the last save
and goes through the very points of a run that never crashed. In the end, its parameters are the same to the bit, and so
are its dreams.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from genreplay import OnlineRBM, datasets

digits = datasets.load("digits")
path = Path("model.safetensors")


def learn(rbm, start, stop):
    """Read rows, note the score every 100 rows, and save the model every 400."""
    scores = {}
    for row in range(start, stop, 100):
        rbm.partial_fit(digits.train[row : row + 100])
        scores[row + 100] = rbm.score(digits.test)
        if rbm.n_rows_seen_ % 400 == 0:
            rbm.save(path)
    return scores


before = learn(OnlineRBM(12, random_state=0), 0, 1_100)
# here the program crashes: all that is left is the file
resumed = OnlineRBM.load(path)
print(f"loaded: {resumed.n_rows_seen_} rows read, {path.stat().st_size:,} bytes")
after = learn(resumed, resumed.n_rows_seen_, 1_400)

whole = OnlineRBM(12, random_state=0)
never_crashed = learn(whole, 0, 1_400)
print("same parameters:", np.array_equal(resumed.components_, whole.components_))
print("same dreams:", np.array_equal(resumed.sample(100), whole.sample(100)))

figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.plot(*zip(*never_crashed.items(), strict=True), color="0.8", linewidth=9, label="never crashed")
ax.plot(*zip(*before.items(), strict=True), "o-", color="#e08a2e", label="until the crash")
ax.plot(*zip(*after.items(), strict=True), ".-", color="#1b3a8a", label="loaded and resumed")
ax.plot(1_100, before[1_100], "X", color="#c8102e", markersize=12, label="crash")
ax.axvline(800, color="0.4", linewidth=0.8, linestyle=":", label="last save")
ax.set(xlabel="rows read", ylabel="log-likelihood of new digits (nats)")
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
