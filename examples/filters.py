"""Filters, and the digits that switch them on

Each hidden unit has a weight for every pixel: its filter. Blue pixels switch the unit on, red ones switch it off. On
the left are the filters of a model that has read the digits once, in random order.

On the right are eight of these filters, those with the largest weights, and beside each the new digits that switch its
unit on most. Some units answer to one class. Most answer to a shape, such as a stroke at one place, that
different digits share.
"""

import matplotlib.pyplot as plt
import numpy as np

from genreplay import OnlineRBM, datasets, plots

digits = datasets.load("digits")
n_rows = 1437  # quick: 200
rbm = OnlineRBM(n_hidden=64, batch_size=20, random_state=0).fit(digits.train[:n_rows])

norms = np.linalg.norm(rbm.components_, axis=1)
units = np.argsort(-norms)[:8]
inputs = digits.test @ rbm.components_.T + rbm.intercept_hidden_
strongest = np.argsort(-inputs[:, units], axis=0)[:8].T  # digits by unit

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(6.4, 3.2), width_ratios=[71, 8, 71])
figure.set_layout_engine("constrained")
plots.filters(rbm, n_columns=8, ax=left)
left.set_title("all 64 filters")
plots.filters(rbm, units, n_columns=1, ax=middle)
plots.images(digits.test[strongest.ravel()], n_columns=8, ax=right)
right.set_title("digits that switch some on")

for unit, chosen in zip(units, strongest, strict=True):
    share = np.mean(inputs[:, unit] > 0)
    print(f"unit {unit}: on for {share:.0%} of the digits, most for", *digits.test_labels[chosen])
plt.show()
