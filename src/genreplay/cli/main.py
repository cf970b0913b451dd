"""The command's entry: one group, one module for each subcommand."""

import click

from genreplay import __version__
from genreplay.cli.bench import bench
from genreplay.cli.data import data
from genreplay.cli.demo import demo
from genreplay.cli.info import info
from genreplay.cli.learn import learn
from genreplay.cli.report import report
from genreplay.cli.reproduce import reproduce
from genreplay.cli.sample import impute, sample
from genreplay.cli.score import explain, score
from genreplay.cli.view import view


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """Learn from streams without storing the data."""


for command in (learn, score, explain, sample, impute, info, view):
    main.add_command(command)
main.add_command(demo)
main.add_command(data)
main.add_command(reproduce)
main.add_command(report)
main.add_command(bench)
