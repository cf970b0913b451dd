"""Log-likelihoods from both sides

How likely a row is depends on log Z, a sum over all states of the model. A small model can be enumerated: that is the
dashed line. A larger one needs an estimate. AIS anneals from independent pixels to the model, over many temperatures;
reverse AIS anneals back from samples of the model. Each point is one run.

With 30 temperatures, AIS mostly makes the model look too good and reverse AIS too bad. With 300, both are near the
truth, and near each other. That is necessary, but not enough: where AIS misses a mode of the model, reverse AIS from
where it ended misses it, too. So the default is "two-way", from a mixture fitted to the model's own samples.
"""

import matplotlib.pyplot as plt
import numpy as np

from genreplay import OnlineRBM, datasets

digits = datasets.load("digits")
n_rows = 1437  # quick: 200
rbm = OnlineRBM(n_hidden=16, batch_size=20, random_state=0).fit(digits.train[:n_rows])
exact = rbm.score_samples(digits.test, rbm.log_partition("exact")).mean()
print(f"exact: {exact:.2f} nats")

counts = (30, 100, 300)  # quick: (30,)
seeds = range(10)  # quick: range(2)
figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
ax.axhline(exact, color="black", linestyle="--", linewidth=1, label="exact")
for method, colour, aside in (("ais", "#b35900", 0.95), ("reverse-ais", "#1b3a8a", 1.05)):
    for n in counts:
        runs = [rbm.log_partition(method, temperatures=n, random_state=seed) for seed in seeds]
        nats = [rbm.score_samples(digits.test, run).mean() for run in runs]
        ax.plot([n * aside] * len(nats), nats, "o", color=colour, alpha=0.6, markersize=5)
        print(f"{method}, {n} temperatures: {np.mean(nats):.2f} nats, mean of {len(nats)} runs")
ax.set(xscale="log", xlabel="temperatures", ylabel="log-likelihood of new digits (nats)")
ax.set_xticks(counts, counts)
ax.set_xticks([], minor=True)
ax.legend(ax.lines[:: len(counts)], ["exact", "AIS", "reverse AIS"], frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
