"""Hidden cells, filled by the detector and by scikit-learn's KNNImputer, which stores rows."""

from __future__ import annotations

import numpy as np

from genreplay.datasets.faults import COLUMNS, NUMBERS, FaultyTable, Flags, Floats, Objects
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.faults.coding import as_floats, context

COLUMN_MEANS = "column means"


def errors(
    detector: OnlineRBMDetector, learned: Objects, held_out: FaultyTable, hidden_share: float, n_stored: int, seed: int
) -> dict[str, float]:
    """Hide cells of numbers in the usual held-out rows, and compare what fills them with what was there.

    The error is the root mean square over all hidden cells, in standard deviations of their columns over the learned
    rows. KNNImputer is fitted on a random sample of the learned rows, in standard deviations as well, with the other
    columns beside the numbers. For reference, the column means of the learned rows are tried, too.
    """
    rng = np.random.default_rng(seed)
    rows = held_out.rows[~held_out.is_faulty]
    truth, past = _numbers(rows), _numbers(learned)
    means, deviations = np.nanmean(past, axis=0), np.nanstd(past, axis=0)
    hidden = ~np.isnan(truth) & (rng.random(truth.shape) < hidden_share)
    if not hidden.any():
        return {}
    stored = rng.permutation(len(learned))[:n_stored]
    filled = {
        "RBM": _by_detector(detector, rows, hidden, seed),
        "KNNImputer": _by_neighbours(learned[stored], rows, hidden),
        COLUMN_MEANS: np.broadcast_to(means, truth.shape),
    }
    found = {}
    for method, values in filled.items():
        known = np.where(np.isnan(values), means, values)  # what is left empty counts as the mean
        distances = ((known - truth) / deviations)[hidden]
        found[method] = float(np.sqrt(np.square(distances).mean()))
    return found


def _numbers(rows: Objects) -> Floats:
    return np.column_stack([as_floats(rows, name) for name in NUMBERS])


def _by_detector(detector: OnlineRBMDetector, rows: Objects, hidden: Flags, seed: int) -> Floats:
    gaps = rows.copy()
    for index, name in enumerate(NUMBERS):
        gaps[hidden[:, index], COLUMNS.index(name)] = None
    return _numbers(detector.impute(gaps, random_state=seed))


def _by_neighbours(stored: Objects, rows: Objects, hidden: Flags) -> Floats:
    from sklearn.impute import KNNImputer
    from sklearn.preprocessing import StandardScaler

    both = np.concatenate([stored, rows])
    coded = np.column_stack([_numbers(both), context(both, n_head=len(stored))])
    scaler = StandardScaler().fit(coded[: len(stored)])
    gaps = coded[len(stored) :].copy()
    gaps[:, : hidden.shape[1]][hidden] = np.nan
    imputer = KNNImputer(keep_empty_features=True).fit(scaler.transform(coded[: len(stored)]))
    filled: Floats = scaler.inverse_transform(imputer.transform(scaler.transform(gaps)))
    return filled[:, : hidden.shape[1]]
