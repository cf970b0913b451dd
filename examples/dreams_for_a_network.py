"""A network that dreams what it may not store

Handwritten digits arrive class after class, in batches of 48, each once. Three networks of scikit-learn learn them. The
first gets the batches alone. The second gets dreamed pairs beside each batch, from one small density model for each
label; the third, pairs from a memory of stored digits. The curves show how many test digits of the classes seen so far
are right.

Without replay the network knows the newest class alone. With dreams it keeps the old ones, and no digit is kept. Stored
digits serve it better still: where rows may be stored, store them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neural_network import MLPClassifier

from genreplay import (
    GenerativeReplayClassifier,
    OnlineRBMClassifier,
    RehearsedPairs,
    ReservoirMemory,
    datasets,
)

digits = datasets.order(datasets.load("digits"), "sorted")
n_batches = 29  # quick: 4
X, y = digits.train[: n_batches * 48], digits.train_labels[: n_batches * 48]
dreams = OnlineRBMClassifier(n_hidden=16, replay="dream-pool", batch_size=20)
network = MLPClassifier((50,), learning_rate_init=0.01, batch_size=40)


def rehearsing(generator, **settings):
    rehearsal = RehearsedPairs(**settings)
    return GenerativeReplayClassifier(network, generator, rehearsal=rehearsal, random_state=0)


learners = {
    "no replay": rehearsing(dreams, rows_per_new=0),
    "dreams": rehearsing(dreams),
    "stored digits": rehearsing(ReservoirMemory(10_000)),
}
figure, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
for name, model in learners.items():
    curve = []
    for batch in np.split(np.arange(len(X)), n_batches):
        model.partial_fit(X[batch], y[batch], classes=range(10))
        known = digits.test_labels <= y[batch].max()
        curve.append(model.score(digits.test[known], digits.test_labels[known]))
    ax.plot(48 * np.arange(1, n_batches + 1), curve, label=name)
    print(f"{name}: {curve[-1]:.1%} of all test digits are right at the end")
ax.set(xlabel="digits learned", ylabel="right, of the classes seen", ylim=(0, 1.02))
ax.legend()
plt.show()
