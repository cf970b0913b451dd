"""Faults of six sensors in a time series (not in the paper): which are found, and whose sensor is named.

The series is that of ``genreplay.datasets.sensors``, drawn from the seed: six sensors of one machine, with a daily
cycle and five kinds of faults. Each row is judged before it is learned. The first week has no fault and is not
counted. None of the methods sees a label:

- RBM: ``series_detector`` with its defaults, on the rows as they are;
- histograms by hour: the same alarm policy and the same codes, but each sensor is judged for itself, by how often its
  code came at this time of day. It shows what can be found without any relation between sensors;
- table RBM: ``OnlineRBMDetector`` with its defaults, which does not know that the rows are a series;
- HalfSpaceTrees and LODA of River, online, on the numbers and on the time of day and the day of the week;
- regression: each sensor by the other five and the hour, linear, fitted offline on all rows. The generated series is
  linear, so this shows about how much there is to see in single rows.

The detectors with alarms, the first two, are also asked for events: a fault is found if there is an alarm while it
lasts, or in the hour after. The sensor that is named is that of the most anomalous row of the event.
"""

from genreplay.experiments.sensors.figures import NAMED_FROM
from genreplay.experiments.sensors.run import METHODS, ONLINE, SensorsRun, runs

__all__ = ["METHODS", "NAMED_FROM", "ONLINE", "SensorsRun", "runs"]
