"""Drop the results that no experiment asks for any more: ``python tools/prune_results.py FILE``.

Results of an older version, of a setting or of a data set that is gone stay in a results file and are not found
(``genreplay.experiments.run``). This rewrites the file without them. Results of quick runs are dropped, too.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from genreplay.experiments import runner
from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.results import Results
from genreplay.experiments.run import describe, identity


def prune(records: list[runner.Record]) -> list[runner.Record]:
    """The records that some experiment lists in its full form or still shows from before, in their order."""
    results = Results(records)
    listed = {identity(record) for record in results.records}
    listed |= {
        identity(describe(run, seed)) for runs in EXPERIMENTS.values() for run in runs(False) for seed in results.seeds
    }
    return [record for record in records if identity(record) in listed]


def prune_file(path: Path) -> tuple[int, int]:
    """Rewrite a results file in one step; return how many records were kept, and how many dropped."""
    records = runner.read(path)
    kept = prune(records)
    temporary = path.with_suffix(".pruned")
    temporary.write_text("".join(f"{json.dumps(record)}\n" for record in kept), "utf-8")
    os.replace(temporary, path)
    return len(kept), len(records) - len(kept)


def main() -> None:
    """Prune the files that are named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="a results file; it is rewritten in place")
    for path in parser.parse_args().paths:
        n_kept, n_dropped = prune_file(path)
        print(f"{path}: {n_kept} records kept, {n_dropped} dropped")


if __name__ == "__main__":
    main()
