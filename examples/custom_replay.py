"""A replay strategy of your own

A strategy is a class, and what it holds of the past another. This one keeps the mean of every batch, 64 bytes, and
rehearses digits that are drawn from these means, pixel by pixel. The digits arrive class after class, so the mean of 20
of them is a blurred picture of their class: left what it holds, in the middle what it rehearses.

On the right is how well models fit new digits, for three seeds. Means are a little better here than a pool of dreams,
in fewer bytes, and worse than all digits. They hold more bytes the longer the stream is, and in random order they would
be of little use: all batches would have about the same mean.
"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np

from genreplay import OnlineRBM, Replay, datasets, plots


@dataclass(frozen=True, repr=False)
class BatchMeans(Replay):
    def start(self, model):
        return Means()


class Means:
    means = np.empty((0, 64), dtype=np.uint8)
    nbytes = property(lambda self: self.means.nbytes)

    def remember(self, rows, rng, chains=None):
        self.means = np.vstack([self.means, (255 * rows.mean(axis=0)).astype(np.uint8)])

    def recall(self, n, model, rng):
        p = self.means[rng.integers(len(self.means), size=n)] / 255
        return rng.random(p.shape) < p

    def dump(self):  # what save writes to a file, and load gives to restore
        return {"means": self.means}

    def restore(self, arrays):
        self.means = arrays["means"]


digits = datasets.order(datasets.load("digits"), "sorted")
seeds = (0, 1, 2)  # quick: (0,)
n_rows = 1437  # quick: 100
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(6.4, 2.1), layout="constrained")
for replay in ("none", "dream-pool", "infinite-memory", BatchMeans()):
    models = [OnlineRBM(16, replay=replay, batch_size=20, random_state=seed) for seed in seeds]
    nats = [rbm.fit(digits.train[:n_rows]).flush().score(digits.test) for rbm in models]
    right.plot(nats, [str(replay)] * len(nats), "o", color="#4a5a9a")
    print(f"{replay}: {np.mean(nats):.1f} nats, {models[0].replay_nbytes_:,} bytes")
past = models[0].state_.past
plots.images(past.means / 255, n_columns=8, ax=left).set_title("held")
rehearsed = past.recall(72, None, np.random.default_rng(0))
plots.images(rehearsed, n_columns=8, ax=middle).set_title("rehearsed")
right.set_title("nats of new digits")
right.spines[["top", "right"]].set_visible(False)
plt.show()
