"""Anneal the same models of MNIST three times: how far apart are the estimates, beside their stated errors.

python tools/repeat_log_z.py  # a few minutes
"""

from __future__ import annotations

from genreplay import datasets
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.likelihood import evaluate
from genreplay.experiments.readings.reading import NAMED, Reading

MODELS = {"recipe paper, OCD_GR": (Reading(), "OCD_GR"), "reading C, ER-ML": (NAMED["C"], "ER-ML")}


def main() -> None:
    """Print the test nats of each model by each estimate."""
    data = datasets.order(datasets.load("mnist"), "random", 0)
    for title, (reading, method) in MODELS.items():
        model = OnlineRBM(500, recipe=reading.recipe(method), random_state=0).partial_fit(data.train)
        for seed in range(3):
            found = evaluate(model, data.test, data.test_labels, 14_500, seed)
            print(f"{title}: {found.nats:.2f}, stated error {found.error:.2f} {found.doubt}", flush=True)


if __name__ == "__main__":
    main()
