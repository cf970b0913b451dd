"""Ten models that meet through their dreams

Each of ten models has seen handwritten digits of one class. A new model learns from what they dream, and from nothing
else. Above: dreams of the ten. Below: dreams of the merged model, and of one whose parameters are the means of theirs,
which is the usual way to join models that learned apart.

The merged model dreams of all ten classes, and finds new digits nearly as likely as a model that has seen all rows.
Averaged parameters belong to no class: hidden units with the same number mean something else in each model.
"""

import matplotlib.pyplot as plt
import numpy as np

from genreplay import OnlineRBM, datasets
from genreplay.core.rbm import RBM

digits = datasets.load("digits")
n_rows = 1437  # quick: 300
n_dreams = 9_000  # quick: 500
rows, labels = digits.train[:n_rows], digits.train_labels[:n_rows]


def learned(rows):
    return OnlineRBM(16, batch_size=20, random_state=0).fit(rows).flush()


nodes = [learned(rows[labels == label]) for label in range(10)]
merged = OnlineRBM.merge(nodes, n_dreams=n_dreams, random_state=0)
state = learned(rows).state_
mean = RBM(
    *(np.mean(parts, axis=0) for parts in zip(*(node.state_.model for node in nodes), strict=True))
)
averaged = OnlineRBM.from_state(state._replace(rbm=mean, average=mean, chains=None), merged.recipe_)
models = {"one model, all rows": learned(rows), "merged by dreams": merged, "averaged": averaged}
for name, model in models.items():
    print(f"{name}: {model.score(digits.test):.1f} nats")

figure = plt.figure(figsize=(6.4, 5.6), layout="constrained")
above, *below = figure.subfigures(3, 1, height_ratios=[1.3, 2.2, 2.2])
above.suptitle("dreams of ten models, one class each")
for ax, node in zip(above.subplots(1, 10), nodes, strict=True):
    ax.imshow(node.state_.chains[0].reshape(8, 8), cmap="Greys")
    ax.axis("off")
for part, name in zip(below, ("merged by dreams", "averaged"), strict=True):
    part.suptitle(f"dreams: {name}")
    dreams = models[name].sample(20, n_gibbs=50, random_state=0)
    for ax, dream in zip(part.subplots(2, 10).flat, dreams, strict=True):
        ax.imshow(dream.reshape(8, 8), cmap="Greys")
        ax.axis("off")
plt.show()
