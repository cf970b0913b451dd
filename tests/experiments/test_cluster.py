from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from genreplay.experiments import runner
from genreplay.experiments.paper.fig3 import ClassesInTurn
from tests.experiments.test_runner import same

distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

JOBS = runner.expand([ClassesInTurn(n_dreams=50, n_temperatures=290, n_hidden=n) for n in (5, 10, 20)], n_seeds=2)


def test_a_cluster_gives_the_same_results_even_when_a_worker_is_killed(tmp_path: Path) -> None:
    calm = list(runner.carry_out(JOBS, tmp_path / "calm.jsonl", n_workers=2))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        killed: list[int] = []

        def kill_a_worker() -> None:
            while not (tmp_path / "cluster.jsonl").exists():  # after the first result, in the middle of the others
                time.sleep(0.05)
            victim = next(iter(cluster.workers.values())).pid
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

        assassin = threading.Thread(target=kill_a_worker)
        assassin.start()
        records = list(runner.carry_out(JOBS, tmp_path / "cluster.jsonl", cluster=cluster.scheduler_address))
        assassin.join()
    assert killed
    assert len(records) == len(JOBS), "none lost, none twice"
    assert same(records) == same(calm)
