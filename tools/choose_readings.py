"""Write the readings that go on to the next stage of ``genreplay reproduce readings`` into ``readings/chosen.py``.

    python tools/choose_readings.py starts      # after those drawn have run on the small sets, those named on all sets
    python tools/choose_readings.py longer      # after their neighbours have
    python tools/choose_readings.py finalists   # after the longer streams
    python tools/choose_readings.py nearest     # after all sets

The rules are in ``readings/judged.py``. A reading that went on once stays, also where results change, as those of Web
did when log Z was estimated better: what has run is not lost.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from genreplay.experiments import runner
from genreplay.experiments.readings import chosen
from genreplay.experiments.readings.judged import STAGES, going_on, judged, starts
from genreplay.experiments.readings.reading import NAMED, Reading, everything, neighbours
from genreplay.experiments.results import Results

RESULTS = Path(__file__).parents[1] / "results/runs.jsonl"
NAMED_READINGS = set(NAMED.values())


def choose(what: str, results: Results) -> tuple[Reading, ...]:
    """The readings that a rule gives for these results."""
    small, longer, on_all, _ = (judged(results, stage) for stage in STAGES)
    if what == "starts":
        named = [each.reading for each in on_all if each.reading in NAMED_READINGS]
        before = [reading for reading in chosen.STARTS if reading in named]
        return (*starts(small), *(before or named)[:1])
    if what == "longer":
        return tuple(going_on(small, 60, NAMED_READINGS | set(neighbours(chosen.STARTS[-1]))))
    if what == "finalists":
        found = going_on(longer, 20, NAMED_READINGS)
        return (*found, *(reading for reading in chosen.FINALISTS if reading not in found))
    found = going_on(on_all, 10, {Reading()})
    return (*found, *(reading for reading in chosen.NEAREST if reading not in found))


def written(name: str, readings: Sequence[Reading]) -> str:
    """The assignment as code."""
    every = everything()
    numbers = ", ".join(str(every.index(reading)) for reading in readings)
    return f"{name} = numbered(\n{textwrap.indent(textwrap.fill(numbers, 110), '    ')},\n)"


def main() -> None:
    """Choose for the stage that is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("starts", "longer", "finalists", "nearest"))
    what = parser.parse_args().what
    path, name = Path(chosen.__file__), what.upper()
    assignment = written(name, choose(what, Results(runner.read(RESULTS))))
    pattern = re.compile(rf"^{name} = numbered\([\d,\s]*\)$", re.MULTILINE)
    path.write_text(pattern.sub(assignment, path.read_text("utf-8"), count=1), "utf-8")


if __name__ == "__main__":
    main()
