"""Doctests of packages that need an extra are left out where it is missing."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("stable_baselines3") else ["src/genreplay/rl"]
