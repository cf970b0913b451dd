"""Draw Fig. 3: dreams by class, as the classes come one after the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

from genreplay.paper.run import Figures


def draw(contests: Mapping[str, Mapping[str, Figures]]) -> Figure:
    """One row a contest, one panel a method, one line a class; the dotted line is an equal share."""
    n_columns = max(len(results) for results in contests.values())
    figure = Figure(figsize=(3.2 * n_columns, 3.1 * len(contests)), layout="constrained")
    panels = figure.subplots(len(contests), n_columns, sharex="row", sharey=True, squeeze=False)
    for row, (contest, results) in zip(panels, contests.items(), strict=True):
        for panel, (method, result) in zip(row, results.items(), strict=True):
            counts = np.array(result["counts"])
            n_classes = len(counts)
            seen = np.arange(1, n_classes + 1)
            for label in range(n_classes):
                panel.plot(
                    seen[label:],
                    counts[label:, label] + 1,  # a logarithmic axis has no place for zero
                    color=colormaps["viridis"](label / max(n_classes - 1, 1)),
                    marker=".",
                    label=f"class {label + 1}",
                )
            panel.plot(seen, counts.sum(axis=1) / seen + 1, ":", color="black", label="equal shares")
            panel.set_yscale("log")
            panel.set_title(f"{contest}: {method}\n{result['nats']:.1f} nats", fontsize=10)
            panel.set_xlabel("classes seen")
            panel.grid(alpha=0.3)
        row[0].set_ylabel("dreams of the class + 1")
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=min(len(names), 11), fontsize=8, frameon=False)
    return figure
