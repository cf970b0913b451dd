"""OnlineRBM among scikit-learn's tools: its own checks, and clones, pipelines, searches, pickles, named columns."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from genreplay import MODERN, PAPER, GenerativeReplay, MemoryReplay, NoReplay, OnlineRBM

# scikit-learn checks with gaussian data, which OnlineRBM warns is outside [0, 1], and few rows, which it warns do not
# fill a default batch. With a batch of five rows every check sees a model that has learned.
SMALL = MODERN.replace(n_epochs=2, rehearsal__rows_per_new=1.5)
ignores_warnings = pytest.mark.filterwarnings("ignore::UserWarning")
ESTIMATORS = [
    OnlineRBM(),
    OnlineRBM(n_hidden=3, recipe=SMALL, batch_size=5),
    OnlineRBM(n_hidden=3, recipe=SMALL, batch_size=5, replay=MemoryReplay(packed=True), dtype="float64"),
]

CHECKS_LEFT_OUT_OF_CHECK_ESTIMATOR = [
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_dataframe_column_names_consistency",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_get_feature_names_out_error",
    "check_estimators_partial_fit_n_features",
    "check_inplace_ensure_writeable",
    "check_param_validation",
]


def bits(n_rows: int, n_columns: int = 6, seed: int = 0) -> npt.NDArray[np.float64]:
    return (np.random.default_rng(seed).random((n_rows, n_columns)) < 0.3).astype(np.float64)


def small(**params: Any) -> OnlineRBM:
    return OnlineRBM(**{"n_hidden": 4, "recipe": SMALL, "batch_size": 20, "random_state": 0, **params})


@ignores_warnings
@parametrize_with_checks(ESTIMATORS)  # type: ignore[untyped-decorator]
def test_every_check_of_check_estimator_passes(estimator: OnlineRBM, check: Callable[[OnlineRBM], None]) -> None:
    check(estimator)


@ignores_warnings
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=["default", "small batches", "packed memory"])
@pytest.mark.parametrize("name", CHECKS_LEFT_OUT_OF_CHECK_ESTIMATOR)
def test_the_checks_left_out_of_check_estimator_pass_too(name: str, estimator: OnlineRBM) -> None:
    getattr(estimator_checks, name)("OnlineRBM", estimator)


def test_a_clone_has_the_settings_but_nothing_learned() -> None:
    model = small(replay=GenerativeReplay(n_gibbs=3), recipe=SMALL.replace(learning_rate=0.1)).fit(bits(60))
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "state_")
    np.testing.assert_array_equal(copy.fit(bits(60)).components_, model.components_)


def test_a_clone_of_a_model_with_memory_does_not_share_the_memory() -> None:
    model = small(replay=MemoryReplay(capacity=50)).fit(bits(60))
    held = model.replay_nbytes_
    clone(model).fit(bits(200, seed=1))
    assert model.replay_nbytes_ == held
    assert model.replay == MemoryReplay(capacity=50)  # the user's object is only a description


def test_hidden_probabilities_feed_a_classifier_in_a_pipeline() -> None:
    X, y = load_digits(n_class=3, return_X_y=True)
    rbm = OnlineRBM(n_hidden=30, batch_size=10, random_state=0)
    pipeline = make_pipeline(rbm, LogisticRegression(max_iter=1000))
    pipeline.fit(X[:400] / 16, y[:400])
    assert pipeline.score(X[400:] / 16, y[400:]) > 0.8  # a guess would be right in 1 of 3
    assert list(pipeline[:-1].get_feature_names_out()[:2]) == ["onlinerbm0", "onlinerbm1"]


def test_grid_search_picks_the_learning_rate_of_the_best_log_likelihood() -> None:
    # 1e-6 leaves the model at its start, where every bit is a fair coin; 0.05 learns that three in ten are ones.
    model = small(recipe=PAPER.replace(replay=NoReplay(), n_epochs=5, momentum=0.5))
    search = GridSearchCV(model, {"recipe__learning_rate": [1e-6, 0.05]}, cv=3).fit(bits(600))
    fair = 6 * np.log(0.5)
    learned = 6 * (0.3 * np.log(0.3) + 0.7 * np.log(0.7))
    assert search.best_params_ == {"recipe__learning_rate": 0.05}
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(fair, abs=0.01)  # sigma = 0.01
    assert search.best_score_ > (fair + learned) / 2


@pytest.mark.parametrize("replay", ["generative", "limited-memory", "infinite-memory", "none"])
def test_a_pickled_model_learns_on_to_the_bit(replay: str) -> None:
    rows = bits(150)
    model = small(replay=replay).fit(rows[:70])
    copy = pickle.loads(pickle.dumps(model))
    assert copy.n_rows_seen_ == 70
    for learner in (model, copy):
        learner.partial_fit(rows[70:])
    for ours, theirs in zip(model.state_.rbm, copy.state_.rbm, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert model.state_.rng.bit_generator.state == copy.state_.rng.bit_generator.state
    np.testing.assert_array_equal(model.sample(5), copy.sample(5))


def test_transform_can_put_out_a_data_frame_with_names() -> None:
    table = pd.DataFrame(bits(60), columns=list("abcdef"))
    model = small().set_output(transform="pandas").fit(table)
    hidden = model.transform(table)
    assert list(hidden.columns) == ["onlinerbm0", "onlinerbm1", "onlinerbm2", "onlinerbm3"]
    assert list(model.feature_names_in_) == list("abcdef")
    np.testing.assert_array_equal(hidden.to_numpy(), model.set_output(transform="default").transform(table))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_hidden", 0),
        ("recipe", "new"),
        ("recipe", None),
        ("replay", "dreams"),
        ("batch_size", 1.5),
        ("binarize", "half"),
        ("dtype", "float16"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_bad_setting_is_refused_by_name_and_value_before_anything_is_learned(
    method: str, name: str, value: object
) -> None:
    model = small(**{name: value})
    with pytest.raises(ValueError, match=rf"'{name}' parameter of OnlineRBM must be .* Got {value!r} instead"):
        getattr(model, method)(bits(40))
    assert not hasattr(model, "state_")
    assert not hasattr(model, "n_features_in_")
