"""Classes in turn, none forgotten

Handwritten digits arrive class after class, each once, and no learner is told where a class ends. A network
learns them, and a classifier of one small density model for each label. After each class, both are tested on all
ten: a dark cell means that most test digits of this class are right.

The network knows the newest class and little else. The models of the labels share nothing, so a new class cannot
overwrite an old one; it only adds a rival, and a few digits go over to it. No digit is kept once its batch has
been learned. Below: a dream of each class, drawn from its model.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.neural_network import MLPClassifier

from genreplay import OnlineRBMClassifier, datasets

digits = datasets.order(datasets.load("digits"), "sorted")
n_steps = 40  # quick: 3
n_rows = 144  # quick: 30
ours = OnlineRBMClassifier(n_hidden=16, batch_size=20, random_state=0)
network = MLPClassifier((50,), random_state=0)


def accuracies(model):
    right = model.predict(digits.test) == digits.test_labels
    return [right[digits.test_labels == label].mean() for label in range(10)]


tables = {"one RBM for each label": [], "network, no replay": []}
for label in range(10):
    rows = digits.train[digits.train_labels == label][:n_rows]
    labels = np.full(len(rows), label)
    ours.partial_fit(rows, labels)
    for _ in range(n_steps):
        network.partial_fit(rows, labels, classes=range(10))
    for table, model in zip(tables.values(), (ours, network), strict=True):
        table.append(accuracies(model))

figure = plt.figure(figsize=(6.4, 4.4), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=[3.2, 1])
for ax, (name, table) in zip(above.subplots(1, 2, sharey=True), tables.items(), strict=True):
    ax.imshow(np.array(table).T, cmap="Blues", vmin=0, vmax=1)
    ax.set(title=name, xlabel="newest class", xticks=range(10), yticks=range(10))
    print(
        f"{name}: {np.mean(table[-1]):.1%} right at the end, {np.mean(table[-1][:5]):.1%} of classes 0 to 4"
    )
above.axes[0].set_ylabel("tested class")
dreams = ours.sample(y=range(10), n_gibbs=100)
for ax, dream in zip(below.subplots(1, 10), dreams, strict=True):
    ax.imshow(dream.reshape(8, 8), cmap="Greys")
    ax.axis("off")
below.suptitle("a dream of each class")
print(f"bytes held: {ours.nbytes_:,} by the models of {len(ours.classes_)} labels")
plt.show()
