"""NAB's scores of other detectors, as NAB publishes them: the file results/final_results.json of numenta/NAB, 1.1.

Each detector has the threshold that is best on all series, for each profile its own.
"""

from __future__ import annotations

from genreplay.experiments.nab.scorer import PROFILES

PUBLISHED = {
    name: dict(zip(PROFILES, scores, strict=True))
    for name, scores in {
        "ARTime": (74.854, 65.154, 80.362),
        "numenta": (70.101, 63.117, 74.320),
        "contextOSE": (69.900, 66.977, 73.182),
        "htmjava": (65.550, 53.257, 70.424),
        "numentaTM": (64.553, 56.665, 69.185),
        "earthgeckoSkyline": (58.200, 46.195, 63.800),
        "knncad": (57.994, 43.409, 64.812),
        "relativeEntropy": (54.643, 47.598, 58.842),
        "randomCutForest": (51.717, 38.361, 59.749),
        "twitterADVec": (47.062, 33.610, 53.501),
        "windowedGaussian": (39.650, 20.868, 47.410),
        "skyline": (35.687, 27.081, 44.481),
        "random": (16.832, 5.764, 25.876),
        "expose": (16.437, 3.191, 26.921),
    }.items()
}
"""by the name in that file, which also has a detector that never fires, with 0; and by profile"""
