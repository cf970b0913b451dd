"""A stream that drifts

Rows of three regimes come, first mixed, then in turns: A and B often, C rarely. At the end D comes, which was never
there before, and stays. Each point is the p-value of a row before it was learned; usual rows are at the bottom.
Triangles are alarms: only one usual row in 1,000 should be as strange.

When A, B or C return, few rows raise an alarm: the detector knows them. When D comes, its first rows do, and a few
batches later the drift is noticed. A p-value compares a row with those before it, so what most rows do is soon no alarm
any more. Later the codes are made anew, because most cells of a column lay outside its range for long. The drift that
was noticed at the first visit of B is none: B had been there before.
"""

import matplotlib.pyplot as plt
import numpy as np

from genreplay import OnlineRBMDetector, plots
from genreplay.datasets.regimes import regimes

n_rows = 2_000  # quick: 600
stream = regimes(n_rows_per_visit=n_rows, n_rows_stay=3 * n_rows, turns="ABABCABC")

detector = OnlineRBMDetector(random_state=0)
p_values, drifts, renewals = [], [], []
for chunk in np.split(stream.rows, len(stream.rows) // 100):
    p_values.extend(np.exp(-detector.learn_scored(chunk)))
    drifts.append(detector.drift_.n_drifts)
    renewals.append(detector.n_renewals_)

figure, ax = plt.subplots(figsize=(6.4, 3.9), layout="constrained")
plots.stream(p_values, threshold=0.001, p_values=True, ax=ax)
for index, visit in enumerate(stream.visits):
    last = visit.first + visit.n_rows
    ax.axvspan(visit.first, last, color="#4a5a9a", alpha=0.1 * (index % 2), linewidth=0)
    ax.text(
        (visit.first + last) / 2,
        1.02,
        visit.regime,
        transform=ax.get_xaxis_transform(),
        ha="center",
    )
    n_alarms = np.sum(np.array(p_values[visit.first : last]) <= 0.001)
    print(f"{visit.regime}: {n_alarms} of {visit.n_rows:,} rows raise an alarm")
for name, counts, colour in (
    ("drift noticed", drifts, "#b35900"),
    ("new codes", renewals, "#00703c"),
):
    for n_chunks in np.flatnonzero(np.diff(counts)) + 2:
        ax.axvline(100 * n_chunks, color=colour, linewidth=1.3, label=name)
        print(f"{name} after row {100 * n_chunks:,}")
handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
ax.legend(handles.values(), handles.keys(), loc="upper left", frameon=False)
plt.show()
