"""Alarms are raised at p-values of at most the contamination, and the words say so."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from genreplay.cli import main
from genreplay.cli.verdicts import verdicts
from genreplay.estimators.detector import OnlineRBMDetector


def test_a_p_value_of_exactly_the_contamination_is_an_alarm() -> None:
    p_values = np.array([0.4999, 0.5, 0.5001, np.nan])
    judged = verdicts(OnlineRBMDetector(contamination=0.5), -np.log(p_values), [])
    assert [verdict.alarm for verdict in judged] == [True, True, False, None]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("learn", "Highest p-value at which a row raises an alarm"),
        ("score", "where the p-value is at most the contamination"),
    ],
)
def test_help_says_at_most(command: str, words: str) -> None:
    said = " ".join(CliRunner().invoke(main, [command, "--help"]).stdout.split())
    assert words in said
    assert "below which" not in said
