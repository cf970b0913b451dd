"""A model's whole training state, for tests that compare to the bit."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from genreplay import OnlineRBM, OnlineRBMDetector


def snapshot(model: OnlineRBM) -> dict[str, object]:
    """All that a fault must leave as it was, in a form that == compares to the bit."""
    state = model.state_
    arrays: dict[str, npt.NDArray[Any]] = {
        **{f"theta.{name}": part for name, part in state.rbm._asdict().items()},
        **{f"velocity.{name}": part for name, part in state.velocity._asdict().items()},
        **{f"past.{name}": array for name, array in state.past.dump().items()},
        "waiting": state.waiting[: state.n_waiting],
        "ones": state.ones,
        **({} if state.chains is None else {"chains": state.chains}),
        **({} if state.average is None else {f"average.{k}": part for k, part in state.average._asdict().items()}),
    }
    return {
        **{name: (array.dtype, array.shape, array.tobytes()) for name, array in arrays.items()},
        "generator": state.rng.bit_generator.state,
        "counts": (state.t, state.n_epochs, state.n_waiting, state.n_learned, model.n_features_in_),
        "names": list(getattr(model, "feature_names_in_", [])),
    }


def table_snapshot(detector: OnlineRBMDetector) -> dict[str, object]:
    """All that a detector has learned, to the bit; not how it was described."""
    learned: dict[str, object] = {}
    if detector.judge_ is not None:
        state = detector.judge_.state
        arrays: dict[str, npt.NDArray[Any]] = {
            **{f"rbm.{name}": part for name, part in state.rbm._asdict().items()},
            **{f"mean.{name}": part for name, part in state.mean._asdict().items()},
            **{f"square.{name}": part for name, part in state.square._asdict().items()},
            **{name: getattr(state, name) for name in ("learned", "counts", "prior", "offsets", "rehearsed")},
        }
        learned = {name: (array.dtype, array.shape, array.tobytes()) for name, array in arrays.items()}
        learned["counters"] = (state.n_steps, state.n_learned, state.n_updates)
        learned["judge"] = detector.judge_.to_json()
    return {
        **learned,
        "waiting": detector._waiting.codes.tolist(),
        "codes": detector.encoder_.state(),
        "renewal": (detector._renewal.to_json(), detector.n_renewals_, detector.renewed_columns_),
        "drift": (detector.drift_, detector._n_responding),
        "threshold": detector._threshold,
        "generator": detector._rng.bit_generator.state,
    }
