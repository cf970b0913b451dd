"""The encoder of a time series: rows with a time and numbers that wander."""

from __future__ import annotations

from genreplay.streams.encoder import TableEncoder
from genreplay.streams.series_coder import SeriesCoder


class SeriesEncoder(SeriesCoder, TableEncoder):
    """Turn the rows of a time series into groups of codes, and codes into rows.

    It differs from ``TableEncoder`` in the code of numbers, which fits what the next rows of a series may hold rather
    than what its first rows held: ``n_bins`` intervals, narrow near the median of the warm-up and ever wider away from
    it, up to 60 robust scales, and an open interval on either side. See ``NumberCode.learn_scaled``. And its
    combinations are residuals: for each number, what the others of the same row do not tell of it. A sensor that no
    longer goes with the others shows there long before it leaves its range. A time has a group for the day of the week
    only if the warm-up lasts two weeks: before, nothing can be known about a day.

    Parameters
    ----------
    combinations : bool, default=True
        Whether there are groups for the residuals of the numbers, if there are two or more.
    n_bins : int, default=24
        Intervals of a number; at most 243.
    warm_up : int, default=300
        First rows, which fix the codes: a day with a value every five minutes. A series should be judged soon.
    max_categories, time_bins, kinds, dtype
        As in ``TableEncoder``.

    Examples
    --------
    >>> from genreplay.streams import SeriesEncoder
    >>> rows = [["2014-04-01 00:00", 20.0], ["2014-04-01 00:05", 21.0], ["2014-04-01 00:10", 19.0]]
    >>> encoder = SeriesEncoder().fit(rows)
    >>> encoder.group_sizes_
    array([25, 27])
    >>> encoder.codes([["2014-04-01 00:15", value] for value in (-5000.0, 19.0, 20.0, 21.0, 50.0)])[:, 1]
    array([ 0, 11, 12, 14, 22], dtype=uint8)
    """
