"""A time series with alarms

Six sensors of a machine, a row every five minutes. There are five faults, each in one sensor, drawn in red. Each row is
judged by the rows before it, and then learned. Below is how anomalous it was; triangles are alarms, above at the sensor
that is their reason. The first week is the warm-up and has no anomaly.

Four of the five faults raise an alarm, each at the right sensor. The fifth is missed: for some hours the temperature of
the hall no longer goes with the others. The alarms without a fault are all in the first days after the warm-up.

The threshold here is 16. What was printed shows its price: the default, 7, raises more false alarms in this series, and
finds no other fault. In a series of your own, choose it by how many alarms somebody can look at.
"""

import matplotlib.pyplot as plt
import numpy as np

from genreplay import Deviations, plots, series_detector
from genreplay.datasets.sensors import SENSORS, sensors

n_rows = 12_000  # quick: 4_500
series = sensors(n_rows, n_each=1)
times, values = series.rows[:, 0].astype("datetime64[s]"), series.rows[:, 1:].astype(float)

for threshold in (7, 10, 13, 16):
    detector = series_detector(warm_up=2016, alarms=Deviations(threshold=threshold), random_state=0)
    judged = detector.learn_judged(series.rows)
    alarms = np.flatnonzero(judged.alarm)
    # an alarm counts for a fault up to 32 rows after it: so long is surprise averaged
    owned = [
        (alarms >= fault.first) & (alarms < fault.first + fault.n_rows + 32)
        for fault in series.events
    ]
    n_found, n_false = sum(own.any() for own in owned), np.sum(~np.any(owned, axis=0))
    print(f"threshold {threshold}: {n_found} of {len(owned)} faults found, {n_false} false alarms")

figure, (above, below) = plt.subplots(
    2, 1, figsize=(6.4, 5.6), layout="constrained", sharex=True, height_ratios=[3, 2]
)
lanes = 0.8 * (values - values.mean(axis=0)) / np.ptp(values, axis=0) - np.arange(6)
above.plot(times, lanes, color="0.55", linewidth=0.5)
for fault in series.events:
    lane = lanes[fault.rows, SENSORS.index(fault.sensor)]
    above.plot(times[fault.rows], lane, color="#c8102e", linewidth=2.5)
    label = -SENSORS.index(fault.sensor) - 0.5
    above.text(times[fault.first], label, fault.kind, color="#c8102e", ha="center", va="center")
blamed = judged.column[alarms] - 1  # column 0 is the time
above.plot(times[alarms], lanes[alarms, blamed] + 0.2, "v", color="black", markersize=6)
above.set_yticks(-np.arange(6), SENSORS)
above.tick_params(length=0)
above.spines[:].set_visible(False)
plots.stream(judged, times, threshold=threshold, ax=below)
plt.show()
