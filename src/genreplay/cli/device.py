"""``genreplay export``, ``import`` and ``device-size``: models for microcontrollers, and back."""

from __future__ import annotations

import json
from pathlib import Path

import click

from genreplay.cli.errors import BadInput, Failure, clean_exits, say
from genreplay.cli.models import MAX_SEED
from genreplay.cli.models import reading as reading_model
from genreplay.cli.output import write
from genreplay.device import DeviceError, Reference, Settings
from genreplay.device.export import write_c
from genreplay.device.size import size_of
from genreplay.device.toolchain import CORES, ToolError
from genreplay.device.transfer import from_device, to_device

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("path", metavar="MODEL", type=_FILE)
@click.option("--c", "folder", metavar="DIR", required=True, type=_FOLDER, help="Where to write the C files.")
@click.option("--integer", is_flag=True, help="8-bit weights, for a core without floating point.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, MAX_SEED), help="Seed of the device.")
@clean_exits
def export(path: Path, folder: Path, integer: bool, seed: int) -> None:
    """Write a model as C99 for a microcontroller, where it goes on learning.

    MODEL is a file that OnlineRBM.save wrote. DIR gets genreplay.h, genreplay_config.h and genreplay_model.h. What the
    device does otherwise than the recipe is said on stderr.
    """
    from genreplay.estimators import OnlineRBM

    with reading_model(path):
        model = OnlineRBM.load(path)
    if model.binarize is None:
        raise BadInput(f"The model {path} learns shares between 0 and 1, and a device learns bits: set binarize.")
    try:
        learner, remarks = to_device(model.state_, model.recipe_, model.batch_size, integer, seed)
    except ValueError as error:
        raise BadInput(f"The model {path} cannot be exported. {error}") from error
    for remark in remarks:
        say(f"On the device: {remark}")
    write("".join(f"{each}\n" for each in write_c(learner, folder)))


@click.command(name="import")
@click.argument("path", metavar="FILE", type=_FILE)
@click.option("--out", "-o", metavar="MODEL", required=True, type=_FILE, help="Where to write the model.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0, MAX_SEED), help="Seed in Python.")
@clean_exits
def import_(path: Path, out: Path, seed: int) -> None:
    """Read what a device saved, and write it as a model that OnlineRBM.load reads.

    FILE has one slot of gr_save, or both; the newest whole one counts.
    """
    from genreplay.estimators import OnlineRBM

    try:
        learner = Reference.from_bytes(path.read_bytes())
    except DeviceError as error:
        raise BadInput(f"{path}: {error}") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    OnlineRBM.from_state(*from_device(learner, seed)).save(out)
    s = learner.settings
    write(f"{s.n_visible} x {s.n_hidden} units, {learner.updates:,} updates, {learner.n_waiting} rows wait: {out}\n")


@click.command(name="device-size")
@click.option("--visible", required=True, type=click.IntRange(1, 4095), help="Visible units: bits of a row.")
@click.option("--hidden", required=True, type=click.IntRange(1, 255), help="Hidden units.")
@click.option("--target", default="cortex-m0", show_default=True, type=click.Choice(list(CORES)), help="The core.")
@click.option("--integer", is_flag=True, help="8-bit weights, for a core without floating point.")
@click.option("--batch", default=20, show_default=True, type=click.IntRange(1, 255), help="Rows that make an update.")
@click.option("--dreams", default=60, show_default=True, type=click.IntRange(0, 1023), help="Dreams beside them.")
@click.option("--epochs", default=1, show_default=True, type=click.IntRange(1, 255), help="Steps an update.")
@click.option("--chains", default=0, show_default=True, type=click.IntRange(0, 255), help="Persistent chains.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@clean_exits
def device_size(
    visible: int,
    hidden: int,
    target: str,
    integer: bool,
    batch: int,
    dreams: int,
    epochs: int,
    chains: int,
    as_json: bool,
) -> None:
    """Say what a model costs on a microcontroller: flash, RAM, stack, instructions an update.

    It is compiled with arm-none-eabi-gcc -Os and run under qemu, which counts instructions; how many cycles they take
    depends on the core and its memory. Without these tools, stored measurements of some sizes are shown.
    """
    try:
        settings = Settings(
            n_visible=visible,
            n_hidden=hidden,
            integer=integer,
            batch_size=batch,
            n_dreams=dreams,
            n_epochs=epochs,
            n_chains=chains,
        )
        size, measured = size_of(settings, target)
    except ValueError as error:
        raise BadInput(str(error)) from error
    except ToolError as error:
        raise Failure(str(error)) from error
    if as_json:
        found = {"target": target, **size._asdict(), "measured": "now" if measured else "stored"}
        write(json.dumps(found) + "\n", as_json=True)
        return
    kind = "8-bit integers" if integer else "float32"
    lines = [
        f"{visible} x {hidden} units on {target}, {kind}, {'measured now' if measured else 'a stored measurement'}",
        f"flash  {size.flash:>12,} bytes  learning and scoring, with what the compiler's library adds",
        f"RAM    {size.ram:>12,} bytes  the whole state",
        f"stack  {size.stack:>12,} bytes  at most, while it learned and scored",
        f"update {size.update:>12,} instructions, counted by qemu: {batch} rows and {dreams} dreams",
        f"score  {size.score:>12,} instructions",
    ]
    write("".join(f"{line}\n" for line in lines))
