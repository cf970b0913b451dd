"""The command's entry: a group that knows its commands by name, and imports one when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem

from genreplay import __version__


class Entry(NamedTuple):
    """A command, without its code."""

    module: str
    """where it is, in ``genreplay.cli``"""
    help: str
    """the first paragraph of its help; a test compares them"""
    function: str = ""
    """its name there, where that is not the command's"""


COMMANDS = {
    "learn": Entry("learn", "Learn the rows of FILE, or of a pipe, one after the other, in fixed memory."),
    "score": Entry("score", "Print how unusual the rows of FILE, or of a pipe, are. Nothing is learned."),
    "explain": Entry("score", "Print which columns make the rows of FILE, or of a pipe, surprising."),
    "sample": Entry("sample", "Generate rows (dreams) with the columns of the table."),
    "impute": Entry("sample", "Fill the empty cells of FILE, or of a pipe; the other cells come back as they are."),
    "info": Entry(
        "info", "Print what a model file holds: its table or series, its alarms, how many rows it has seen, its size."
    ),
    "models": Entry(
        "folder",
        "Print the keys of a FOLDER of genreplay learn --by, or of a checkpoint of Spark; or take out one model.",
    ),
    "merge": Entry("merge", "Learn one model from the dreams of others, without their rows."),
    "view": Entry("view", "Write a page of the rows of FILE, or of a pipe, scored by a model. Nothing is learned."),
    "export": Entry("device", "Write a model as C99 for a microcontroller, where it goes on learning."),
    "import": Entry(
        "device", "Read what a device saved, and write it as a model that OnlineRBM.load reads.", function="import_"
    ),
    "device-size": Entry(
        "device",
        "Say what a model costs on a microcontroller: flash, RAM, stack, instructions an update.",
        function="device_size",
    ),
    "demo": Entry("demo", "Let digits arrive class by class, and see who still dreams of the first ones."),
    "data": Entry("data", "List and fetch the data sets."),
    "reproduce": Entry("reproduce", "Run the paper's experiments: NAME is one of those below, or all."),
    "report": Entry("report", "Put the paper's numbers and ours side by side, with a verdict for each of its claims."),
    "bench": Entry("bench", "Time the package against its matrix products and its peers, side by side, in one run."),
}
"""in the order of ``--help``"""


class LateCommands(click.Group):
    """Lists the commands without importing them: NumPy alone takes longer to start than Python itself."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        entry = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"genreplay.cli.{entry.module}"), entry.function or cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = formatter.width - 6 - max(map(len, COMMANDS))  # as wide as click's own listing
        with formatter.section("Commands"):
            formatter.write_dl([(name, _shortened(entry.help, width)) for name, entry in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in COMMANDS if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=_shortened(COMMANDS[name].help)) for name in names), *options]


def _shortened(text: str, limit: int = 45) -> str:
    return click.Command(None, help=text).get_short_help_str(limit)


@click.group(cls=LateCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Learn from streams without storing the data."""
