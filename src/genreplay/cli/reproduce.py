"""``genreplay reproduce``: the paper's experiments, in parallel, resumable."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
import tomllib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from genreplay import datasets
from genreplay.datasets import anomaly
from genreplay.experiments import runner
from genreplay.experiments.calibration import MADE_UP
from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.run import identity, override


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...|all]")
@click.option("--quick", is_flag=True, help="Small models and few rows: minutes in place of hours.")
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(1), help="Seeds 0, 1, ... of every run.")
@click.option("--jobs", default=2, show_default=True, type=click.IntRange(1), help="Runs at the same time.")
@click.option("--resume", is_flag=True, help="Keep the finished runs of an earlier call.")
@click.option("--cluster", metavar="ADDRESS", help="Run the jobs on a Dask cluster (extra: cluster).")
@click.option(
    "--settings",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='TOML file with settings to replace in every run, such as dataset = "adult".',
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Results file (JSON lines).")
@click.option("--json", "as_json", is_flag=True, help="Print each result as it comes.")
def reproduce(
    names: tuple[str, ...],
    quick: bool,
    seeds: int,
    jobs: int,
    resume: bool,
    cluster: str | None,
    settings: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run the paper's experiments: NAME is one of those below, or all.

    fig3 (toy scenario), fig4 (MNIST, sizes and orders), fig5 (learning curves), table2 (nine data sets), cd-steps,
    cost (time and bytes of an update), study (number and steps of dreams), search (random search); and, not in the
    paper, anomaly (detectors on 29 streams; extra: river), variants (our detector with other settings; always
    one seed), calibration (false alarms on fresh usual rows), faults (detectors on a generated table of a factory;
    extra: river), regimes (alarms when regimes return), nab (the Numenta Anomaly Benchmark, 58 time series),
    sensors (faults of six sensors in a generated time series; extra: river), device (the learner for
    microcontrollers beside that in Python), log-z (estimates of log Z beside the truth), readings (which reading of
    the paper gives its figures), incremental (classes that come one after the other; extra: torch), rl (DQN with stored
    and with dreamed transitions; extra: rl), fleet (models that meet through their dreams) and beyond (the recipe
    "modern" and the effect of its parts).

    Results go to results/runs.jsonl, or out/quick.jsonl with --quick. Interrupt it at any time; --resume goes on.
    """
    unknown = [name for name in names if name not in EXPERIMENTS and name != "all"]
    if unknown or not names:
        said = f"there is no experiment {unknown[0]!r}" if unknown else "name an experiment"
        raise click.UsageError(f"{said}: choose from {', '.join(EXPERIMENTS)}, or all.")
    chosen = list(EXPERIMENTS) if "all" in names else list(names)
    out = out or Path("out/quick.jsonl" if quick else "results/runs.jsonl")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        has_results = bool(runner.read(out))
    except (OSError, runner.ResultsError) as error:
        raise click.UsageError(str(error)) from error
    if cluster is not None and find_spec("distributed") is None:
        raise click.UsageError("--cluster needs Dask: pip install 'genreplay[cluster]'.")
    if has_results and not resume:
        raise click.UsageError(f"{out} has results already: add --resume to go on, or --out FILE to start anew.")
    runs = [run for name in chosen for run in EXPERIMENTS[name](quick)]
    if settings is not None:
        try:
            runs = override(runs, tomllib.loads(settings.read_text()))
        except ValueError as error:
            raise click.UsageError(f"{settings}: {error}.") from error
    console = Console(stderr=True)
    obstacles = Counter(obstacle for run in runs if (obstacle := getattr(run, "obstacle", None)))
    for obstacle, n_runs in obstacles.items():
        if n_runs == len(runs):
            raise click.UsageError(f"{obstacle}.")
        console.print(f"{n_runs} of {len(runs)} runs are left out: {obstacle}.", highlight=False, markup=False)
    todo = runner.expand([run for run in runs if not getattr(run, "obstacle", None)], seeds)
    try:
        _require_data(todo)
    except datasets.DatasetError as error:
        raise click.UsageError(str(error)) from error
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stops as cleanly as Ctrl-C
    try:
        _watch(todo, out, jobs, cluster, console, as_json)
    except KeyboardInterrupt:
        console.print(f"Interrupted. What has finished is in {out}; the same command with --resume goes on.")
        sys.exit(130)
    console.print(f"{len(todo)} results in {out}.", highlight=False)


def _require_data(jobs: list[runner.Job]) -> None:
    """Raise an error for missing or damaged data before anything is trained."""
    for dataset in sorted({str(getattr(job.run, "dataset", "toy")) for job in jobs} - {MADE_UP}):
        (anomaly.load if dataset in anomaly.KNOWN else datasets.load)(dataset)


def _watch(
    jobs: list[runner.Job], out: Path, n_workers: int, cluster: str | None, console: Console, as_json: bool
) -> None:
    """Carry out the jobs under a progress display: one bar for all, one for each run under way."""
    finished = {identity(record) for record in runner.read(out)}
    n_done = sum(job.identity in finished for job in jobs)
    titles = {job.identity: job.title for job in jobs}
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[doing]}"),
    )
    with Progress(*columns, console=console) as progress:
        overall = progress.add_task("all runs", total=len(jobs), completed=n_done, doing="")
        stop = threading.Event()
        watcher = threading.Thread(target=_show_runs, args=(progress, out, stop), daemon=True)
        watcher.start()
        try:
            for record in runner.carry_out(jobs, out, n_workers, cluster):
                progress.advance(overall)
                n_done += 1
                if as_json:
                    click.echo(json.dumps(record))
                if not console.is_terminal:  # no moving bars in a log: a line for each result
                    console.print(f"{n_done}/{len(jobs)} {titles[identity(record)]} ({record['seconds']:.0f} s)")
        finally:
            stop.set()
            watcher.join()


def _show_runs(progress: Progress, out: Path, stop: threading.Event) -> None:
    bars: dict[str, TaskID] = {}
    while not stop.is_set():
        under_way = runner.progress_of(out)
        for name, (title, share, doing) in under_way.items():
            if name not in bars:
                bars[name] = progress.add_task(f"  {title}", total=100, doing=doing)
            progress.update(bars[name], completed=int(100 * share), doing=doing)
        for name in set(bars) - set(under_way):
            progress.remove_task(bars.pop(name))
        time.sleep(0.5)
