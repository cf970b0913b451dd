"""Sorted digits, and what is dreamt of

Handwritten digits arrive class after class: all zeros first, all nines last. Each model reads them once. What does it
dream of when the nines have come? A classifier that was trained on all digits says which class each dream looks like.

Without replay, the model dreams mostly of the last classes. With a pool of 500 dreams, which holds no digit of the
stream, all classes are still there. With every digit stored and rehearsed they are, too, and the log-likelihood of new
digits is the best of the three: dreams keep the past, but not as well as the past itself.

An update every 20 digits makes 72 updates. With the default, 100, there are 15. That is too few for the pool: what was
printed last shows that no replay is better then.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from genreplay import DreamPool, OnlineRBM, datasets, plots

digits = datasets.order(datasets.load("digits"), "sorted")
classifier = LogisticRegression(max_iter=1000).fit(digits.train, digits.train_labels)

n_rows = 1437  # quick: 100
models = {
    "no replay": OnlineRBM(16, replay="none", batch_size=20, random_state=0),
    "500 dreams": OnlineRBM(16, replay=DreamPool(size=500), batch_size=20, random_state=0),
    "every digit stored": OnlineRBM(16, replay="infinite-memory", batch_size=20, random_state=0),
}
figure, axes = plt.subplots(2, 3, sharey="row", figsize=(6.4, 4), height_ratios=[2.2, 1])
figure.set_layout_engine("constrained")
for (name, rbm), (sheet, bars) in zip(models.items(), axes.T, strict=True):
    rbm.fit(digits.train[:n_rows]).flush()
    plots.dreams(rbm, n_dreams=64, ax=sheet)
    sheet.set_title(name)
    shares = np.bincount(classifier.predict(rbm.sample(1000, n_gibbs=200)), minlength=10) / 1000
    bars.bar(range(10), shares, color="#4a5a9a")
    bars.axhline(0.1, color="0.4", linewidth=0.8, linestyle=":")
    bars.set(xticks=range(10), xlabel="class of the dream")
    bars.spines[["top", "right"]].set_visible(False)
    early = shares[:5].sum()
    print(f"{name}: {rbm.score(digits.test):.1f} nats, {early:.0%} of dreams in classes 0 to 4")
axes[1, 0].set_ylabel("share of dreams")
for name, rbm in models.items():
    rbm = clone(rbm).set_params(batch_size=100).fit(digits.train[:n_rows]).flush()
    print(f"{name}, an update every 100 digits: {rbm.score(digits.test):.1f} nats")
plt.show()
