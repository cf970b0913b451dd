"""What a p-value promises

A p-value of 0.01 should mean that one usual row in a hundred is as strange. The detector learns rows of a machine that
have no fault, and then judges 50,000 new ones, which have none either. Each line is the share of new rows whose p-value
is at most x. On the dashed line this share is x, as promised.

Down to 0.01 the promise holds after 2,000 rows. Further down it takes a longer stream: p-values come from the shares of
rows seen so far, and one in a thousand of 2,000 is two. After 10,000 rows there are still too many p-values of 0.001,
after 50,000 it holds down to there.
"""

import matplotlib.pyplot as plt
import numpy as np

from genreplay import OnlineRBMDetector
from genreplay.datasets.faults import faults

lengths = (2_000, 10_000, 50_000)  # quick: (2_000,)
past = faults(lengths[-1], seed=0, order="shuffled", fault_share=0).rows
new = faults(lengths[-1], seed=1, order="shuffled", fault_share=0).rows

levels = np.geomspace(0.0005, 1, 60)
figure, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
ax.plot(levels, levels, "--", color="0.4", linewidth=1, label="as promised")
for n in lengths:
    p_values = OnlineRBMDetector(random_state=0).partial_fit(past[:n]).p_values(new)
    ax.plot(levels, [np.mean(p_values <= level) for level in levels], label=f"after {n:,} rows")
    for level in (0.1, 0.01, 0.001):
        print(f"after {n:,} rows: {np.mean(p_values <= level):.2%} have p <= {level}")
ax.set(xscale="log", yscale="log", xlabel="p-value", ylabel="share of new rows at or below it")
ax.grid(alpha=0.3)
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
