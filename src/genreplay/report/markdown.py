"""Table 2 and the tables of detectors, faults, regimes, series and the modern recipe as Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from genreplay.experiments.nab.halves import N_SPLITS
from genreplay.experiments.results import Results
from genreplay.formatting import fine_percent
from genreplay.report import anomaly, beyond, calibration, faults, halves, nab, regimes, sensors, summary, table2
from genreplay.report.table2 import COLUMNS, Cell, Row
from genreplay.report.titles import column_title


def table(results: Results) -> str:
    """Two lines a data set, the paper's and ours, and a legend; the same bytes for the same results."""
    lines = [
        f"| data set | | {' | '.join(column_title(column) for column in COLUMNS)} |",
        f"|---|---|{'---:|' * len(COLUMNS)}",
    ]
    rows = table2.rows(results)
    for row in rows:
        lines.append(f"| {row.title} | paper | {' | '.join(_paper(row, column) for column in COLUMNS)} |")
        lines.append(f"| | ours | {' | '.join(_ours(row, column) for column in COLUMNS)} |")
    n_seeds = sorted({cell.nats.n_seeds for row in rows for cell in row.ours.values() if cell.nats})
    seeds = " to ".join(str(n) for n in sorted({min(n_seeds), max(n_seeds)})) if n_seeds else "none"
    lines += [
        "",
        f"Mean test log-likelihood in nats ± standard deviation over seeds ({seeds}), with the standard error of "
        "log Z, annealed both ways. † Log Z is unknown for a seed, which then does not count. The best online model "
        "of a line is in bold where none of them is marked. The paper's offline column is the literature's; its figure "
        "for MNIST is of stochastically binarised digits.",
    ]
    lines += [f"{row.title}: {row.note}." for row in rows if row.note]
    if results.quick:
        lines.append("**Quick runs: small models and few rows. Not for comparison with the paper.**")
    return "\n".join(lines) + "\n"


def anomaly_table(results: Results) -> str:
    """A line for each set, with the ROC-AUC of each detector, and what they say together; empty if not run."""
    rows = anomaly.table(results, "auc")
    if not rows:
        return ""
    lines = [
        f"| data set | {' | '.join(anomaly.DETECTORS)} |",
        f"|---|{'---:|' * len(anomaly.DETECTORS)}",
        *(f"| {row.title} | {' | '.join(_auc(row, method) for method in anomaly.DETECTORS)} |" for row in rows),
        "",
        "Prequential ROC-AUC, mean ± standard deviation over seeds; IsolationForest and LocalOutlierFactor are fitted "
        "offline on rows that they score afterwards. The best online method of a line is in bold.",
        "",
        *_bullets([*anomaly.sentences(results), *calibration.sentences(results), *halves.sentences(results)]),
    ]
    return "\n".join([*lines, *_quick(results)]) + "\n"


def faults_table(results: Results) -> str:
    """A line for each kind of fault, with the ROC-AUC of each method, for each order of the rows; empty if not run."""
    found = faults.content(results)
    if found is None:
        return ""
    lines = []
    for order in found.orders:
        lines += [f"| rows {order.title} | {' | '.join(found.methods)} |", f"|---|{'---:|' * len(found.methods)}"]
        lines += [
            f"| {row.title} | {' | '.join(_fault(row, method) for method in found.methods)} |" for row in order.auc
        ]
        lines.append("")
    lines += [
        "ROC-AUC of each kind of fault among the usual rows, mean ± standard deviation over seeds; IsolationForest is "
        "fitted offline on all rows. The best method of a line is in bold.",
        "",
        *_bullets(found.sentences),
    ]
    return "\n".join([*lines, *_quick(results)]) + "\n"


def regimes_table(results: Results) -> str:
    """A line for each way of rehearsal, with its alarms and its bytes; empty if not run."""
    rows = regimes.table(results)
    if not rows:
        return ""
    lines = [
        "| rehearses | return of a frequent regime | of a rare one | new regime, first block | last block | bytes |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        shares = (row.often, row.rare, row.stay[0], row.stay[-1])
        cells = " | ".join("" if share is None else fine_percent(share) for share in shares)
        lines.append(f"| {row.title} | {cells} | {row.replay_bytes} |")
    lines += ["", "Rows with a p-value of at most 1 %, in blocks of 500 rows, in the mean over visits and seeds."]
    return "\n".join([*lines, *_quick(results)]) + "\n"


def _quick(results: Results) -> list[str]:
    return ["", "**Quick runs: few rows. Not for comparison.**"] if results.quick else []


def _bullets(sentences: Iterable[str]) -> list[str]:
    return [f"- {sentence}" for sentence in sentences]


def _fault(row: faults.Row, method: str) -> str:
    if method not in row.cells:
        return "not run"
    cell = row.cells[method]
    value = f"**{cell.mean:.3f}**" if method == row.best else f"{cell.mean:.3f}"
    return value if cell.deviation is None else f"{value} ± {cell.deviation:.3f}"


def nab_table(results: Results) -> str:
    """A line for each method with its scores on NAB, by default and with settings of other series; empty if not run."""
    rows = nab.table(results)
    if not rows:
        return ""
    titles = list(nab.PROFILE_TITLES.values())
    lines = [
        f"| NAB | {' | '.join([*titles, *(f'{title}, by halves' for title in titles)])} |",
        f"|---|{'---:|' * 2 * len(titles)}",
    ]
    for row in rows:
        scores = [*(each.mean for each in row.defaults.values()), *row.halves.chosen.values()]
        lines.append(f"| {row.method} | {' | '.join(f'{score:.1f}' for score in scores)} |")
    choices = ", ".join(f"{row.n_settings} ({row.method})" for row in rows)
    lines += [
        "",
        f"NAB's scores, mean over seeds ({rows[0].n_seeds} of the RBM). By halves: the setting with the best standard "
        f"score on a random half of the series, judged on the other half, mean over {N_SPLITS} splits; settings to "
        f"choose from: {choices}.",
    ]
    return "\n".join([*lines, *_quick(results)]) + "\n"


def sensors_table(results: Results) -> str:
    """A line for each kind of fault of a sensor, with the ROC-AUC of each method; empty if not run."""
    found = sensors.content(results)
    if found is None:
        return ""
    lines = [
        f"| faults of sensors | {' | '.join(found.methods)} |",
        f"|---|{'---:|' * len(found.methods)}",
        *(f"| {row.title} | {' | '.join(_fault(row, method) for method in found.methods)} |" for row in found.auc),
        "",
        "ROC-AUC of the rows of each kind of fault among the usual rows, mean ± standard deviation over seeds; the "
        "regression is fitted offline on all rows. The best online method of a line is in bold. "
        + " ".join(found.sentences[1:]),
    ]
    return "\n".join([*lines, *_quick(results)]) + "\n"


def beyond_table(results: Results) -> str:
    """A line for each data set with the recipe "modern" beside its rivals, and what they say; empty if not run."""
    found = beyond.content(results)
    if found is None:
        return ""
    lines = [
        "| data set, order | modern | ER-IM, same ingredients | paper's protocol, ours | paper's OCD_GR | offline, "
        "literature |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for row in found.rows:
        ours = " | ".join(_cell(Cell(each)) for each in (row.modern, row.stored, row.protocol))
        lines.append(f"| {row.title}, random | {ours} | {row.paper['OCD_GR']:.2f} | {row.paper['offline']:.2f} |")
    for contest in found.contests:
        if contest.order == "sorted":
            modern, stored = contest.methods["dream pool"], contest.methods["ER-IM"]
            ours = " | ".join(_cell(Cell(each)) for each in (modern, stored, contest.protocol))
            lines.append(f"| MNIST, sorted | {ours} | | |")
    lines += ["", *_bullets(found.sentences)]
    if results.quick:
        lines += ["", "**Quick runs: small models and few rows. Not for comparison.**"]
    return "\n".join(lines) + "\n"


def _auc(row: anomaly.Row, method: str) -> str:
    if method not in row.cells:
        return "no anomaly" if method in row.run else "not run"
    cell = row.cells[method]
    value = f"**{cell.mean:.3f}**" if cell.best else f"{cell.mean:.3f}"
    return value if cell.deviation is None else f"{value} ± {cell.deviation:.3f}"


def _paper(row: Row, column: str) -> str:
    if column not in row.paper:
        return ""
    value = f"{row.paper[column]:.2f}"
    return f"**{value}**" if column == row.paper_best else value


def _ours(row: Row, column: str) -> str:
    if column == "independent":
        return "not run" if row.independent is None else f"{row.independent:.2f}"
    if column not in row.ours:
        return ""
    return _cell(row.ours[column])


def _cell(cell: Cell) -> str:
    if cell.nats is None:
        return "not run"
    nats = cell.nats
    value = "unknown" if math.isnan(nats.mean) else f"**{nats.mean:.2f}**" if cell.best else f"{nats.mean:.2f}"
    if nats.deviation is not None:
        value += f" ± {nats.deviation:.2f}"
    return f"{value}<br><sub>{f'{nats.doubt}†' if nats.doubt else f'log Z ± {nats.log_z_error:.2f}'}</sub>"


TABLES: tuple[Callable[[Results], str], ...] = (
    summary.table,
    table,
    anomaly_table,
    faults_table,
    regimes_table,
    nab_table,
    sensors_table,
    beyond_table,
)
"""what ``genreplay report --format md`` prints, in order; a table whose runs are missing is empty. The first is that of
the README, the others are in the documentation"""
