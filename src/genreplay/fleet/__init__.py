"""A detector for every key of a stream: in one process, or on Spark (``fleet.spark``, with the extra ``spark``)."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genreplay.fleet.keyed import Blueprint
    from genreplay.fleet.process import Fleet
    from genreplay.fleet.readout import models

__all__ = ["Blueprint", "Fleet", "models"]

_HOMES = {"Blueprint": "keyed", "Fleet": "process", "models": "readout"}

if not TYPE_CHECKING:  # a type checker that saw this function would accept any name

    def __getattr__(name: str) -> object:
        """Import on first use (PEP 562): what one engine needs, the other does not."""
        if name in _HOMES:
            value = globals()[name] = getattr(import_module(f"genreplay.fleet.{_HOMES[name]}"), name)
            return value
        raise AttributeError(f"module 'genreplay.fleet' has no attribute {name!r}")
