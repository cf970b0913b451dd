"""Anomalies in a table, with their reasons

A machine writes a row every two minutes: times, labels, numbers, missing cells. Some rows are faulty, in five ways. The
detector reads 20,000 rows once, and then judges 10,000 new ones. The picture shows the 16 new rows with the smallest
p-values. Dark cells are the reasons: nats of surprise, given the rest of the row. Frames are the columns at fault.

All 16 rows have a fault, and the darkest cell of each is framed. What was printed shows the other side, at p <= 0.01.
Values beyond everything usual and swapped cells mostly raise an alarm. Faults that show only in the context, such as an
idle machine that turns, mostly do not, nor do new labels. A stuck sensor never does: its rows are usual by themselves.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from genreplay import OnlineRBMDetector, plots
from genreplay.datasets.faults import COLUMNS, KINDS, faults

n_rows = 30_000  # quick: 1_500
table = faults(n_rows, order="shuffled", fault_share=0.01)
past, new = table.take(slice(None, 2 * n_rows // 3)), table.take(slice(2 * n_rows // 3, None))

detector = OnlineRBMDetector(random_state=0).partial_fit(past.rows)
p_values = detector.p_values(new.rows)
alarm = p_values <= 0.01

for kind in KINDS:
    found = alarm[new.kinds == kind]
    print(f"{kind}: {found.sum()} of {len(found)} faulty rows raise an alarm")
print(f"no fault: {alarm[~new.is_faulty].mean():.1%} of the rows raise an alarm")

worst = np.argsort(p_values)[:16]
labels = [f"{new.kinds[row] or 'no fault'}, p = {p_values[row]:.0e}" for row in worst]
figure, ax = plt.subplots(figsize=(6.4, 5), layout="constrained")
plots.columns(detector.explain(new.rows[worst]), names=COLUMNS, rows=labels, ax=ax)
for row, column in np.argwhere(new.at_fault[worst]):
    ax.add_patch(
        Rectangle(
            (column - 0.46, row - 0.44), 0.92, 0.88, fill=False, edgecolor="#1b3a8a", linewidth=1.5
        )
    )
plt.show()
