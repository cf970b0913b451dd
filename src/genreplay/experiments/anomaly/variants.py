"""Other settings of the detector, to see how much depends on the choice of the defaults."""

from __future__ import annotations

import ast
from typing import Any

from genreplay.core.grouped import TableRBM
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.streams.encoder import TableEncoder

VARIANTS = (
    "rbm__n_hidden=32",
    "rbm__n_hidden=128",
    "rbm__learning_rate=0.0025",
    "rbm__learning_rate=0.01",
    "encoder__n_bins=4",
    "encoder__n_bins=16",
)
"""settings that differ from the defaults, by the nested names of ``set_params``; several are separated by commas"""


def detector(variant: str = "", **settings: Any) -> OnlineRBMDetector:
    """A detector with these settings; otherwise the defaults, whatever they are.

    >>> detector("rbm__n_hidden=16, encoder__n_bins=4", random_state=0)
    OnlineRBMDetector(encoder=TableEncoder(n_bins=4), random_state=0,
                      rbm=TableRBM(n_hidden=16))
    """
    made = OnlineRBMDetector(**settings)
    if variant:
        made.set_params(encoder=TableEncoder(), rbm=TableRBM(), **parsed(variant))
    return made


def parsed(variant: str) -> dict[str, Any]:
    """The settings that a variant is named by.

    >>> parsed("rbm__n_hidden=16, on_drift='faster'")
    {'rbm__n_hidden': 16, 'on_drift': 'faster'}
    """
    call = ast.parse(f"dict({variant})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
