"""Fill the lower half of digits

The model has read the digits once, in random order. Now it sees the upper half of new ones. The lower half is unknown,
which is NaN for `impute`: it returns the probability of each pixel, given the pixels above.

The first line is what the model was given, the second what it filled in, the third the digit as it was. Where the
upper half leaves a choice, the model cannot know: it fills in grey, or another digit than the true one. Over all new
digits, it gets more pixels right than a guess that takes the more frequent value of each pixel.
"""

import matplotlib.pyplot as plt
import numpy as np

from genreplay import OnlineRBM, datasets, plots

digits = datasets.load("digits")
n_rows = 1437  # quick: 200
rbm = OnlineRBM(n_hidden=64, batch_size=20, random_state=0).fit(digits.train[:n_rows])

is_lower = np.arange(64) >= 32
given = np.where(is_lower, np.nan, digits.test)
filled = rbm.impute(given, probabilities=True, random_state=0)

often = digits.train[:n_rows].mean(axis=0) > 0.5
for name, guess in {"the model": filled > 0.5, "the more frequent value": often}.items():
    is_right = (guess == digits.test)[:, is_lower]
    print(f"{name}: {is_right.mean():.1%} of the unknown pixels are right")

shown = [np.flatnonzero(digits.test_labels == label)[0] for label in range(10)]
figure, ax = plt.subplots(figsize=(6.4, 1.9), layout="constrained")
plots.images(np.concatenate([given[shown], filled[shown], digits.test[shown]]), n_columns=10, ax=ax)
for line, text in enumerate(["given", "filled", "true"]):
    ax.text(-2, 9 * line + 3.5, text, ha="right", va="center")
plt.show()
