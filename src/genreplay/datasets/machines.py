"""Several machines of one hall: the table of ``faults``, with sensors that every machine has for itself.

All machines follow the same shifts and the same rules, but each sensor of a machine has a gain and an offset of its
own, as sensors of different makes and ages have. So what is usual for one machine may be a fault of another.
"""

from __future__ import annotations

import numpy as np

from genreplay.datasets.base import DatasetError
from genreplay.datasets.faults import COLUMNS, SENSORS, FaultyTable, faults

GAINS = (0.8, 1.25)
"""range of the gains"""
OFFSETS = {"speed": 5.0, "temperature": 4.0, "pressure": 0.2, "flow": 2.0, "vibration": 0.1, "current": 0.8}
"""largest offset of each sensor, up or down"""


def machine(number: int, n_rows: int = 10_000, seed: int = 0, fault_share: float = 0.005) -> FaultyTable:
    """Draw the table of one machine; its sensors follow from its number alone, its rows from the seed as well.

    >>> one, other = machine(1, n_rows=1_000), machine(2, n_rows=1_000)
    >>> bool(one.column("temperature")[0] == other.column("temperature")[0])
    False
    >>> int(one.is_faulty.sum())
    5
    """
    if number < 0:
        raise DatasetError(f"The 'number' of a machine must be 0 or more. Got {number!r} instead.")
    own = np.random.default_rng([20, number])
    table = faults(n_rows, int(np.random.default_rng([seed, number]).integers(2**31)), fault_share=fault_share)
    rows = table.rows.copy()
    for sensor in SENSORS:
        gain, offset = np.exp(own.uniform(*np.log(GAINS))), own.uniform(-1, 1) * OFFSETS[sensor]
        place = COLUMNS.index(sensor)
        rows[:, place] = [None if cell is None else round(gain * cell + offset, 3) for cell in rows[:, place]]
    return table._replace(rows=rows)
