"""``genreplay models``: what a folder of models holds, and one of them as a file."""

from __future__ import annotations

from pathlib import Path

import click

from genreplay.cli.errors import clean_exits, say
from genreplay.cli.output import Output, style
from genreplay.core import checkpoint
from genreplay.core.kernels.choice import numba_later
from genreplay.fleet.readout import model
from genreplay.fleet.readout import models as models_of


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--key", metavar="KEY", help="Take out the model of this key; --out says where.")
@click.option("--out", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="The model file to write.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines.")
@clean_exits
@numba_later()
def models(folder: Path, key: str | None, out: Path | None, as_json: bool) -> None:
    """Print the keys of a FOLDER of genreplay learn --by, or of a checkpoint of Spark; or take out one model.

    A model that is taken out is a file for genreplay info, score, explain and learn --more. Printed are each key, the
    rows that its model has seen, and the bytes of its file.

    Example: genreplay models fleet --key meter-7 --out meter-7.model
    """
    if (key is None) != (out is None):
        raise click.UsageError("--key and --out belong together: the model of this key, and the file to write.")
    if key is not None and out is not None:
        checkpoint.write_atomically(out, model(folder, key))
        say(f"Model: {out}")
        return
    output = Output(["key", "rows", "bytes"], style(as_json, escape_formulas=False))
    for each, content in models_of(folder):
        _, header = checkpoint.unpacked(content, f"The model of key {each!r}")
        output.write([(each, header["extra"]["extra"]["account"]["n_read"], len(content))])
