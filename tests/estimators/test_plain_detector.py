"""The classes without scikit-learn, which the command line uses, beside their faces for scikit-learn."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator

from genreplay import Deviations, Dreams, OnlineRBMDetector, SeriesEncoder, TableEncoder, TableRBM
from genreplay.estimators.arguments import arguments_of
from genreplay.estimators.plain_detector import Detector
from genreplay.streams.coder import TableCoder
from genreplay.streams.series_coder import SeriesCoder
from genreplay.streams.table import NotReadyError

RBM = TableRBM(4, n_first=2, batch_size=25, replay=Dreams(size=50, n_rows=25))
PAIRS = [(Detector, OnlineRBMDetector), (TableCoder, TableEncoder), (SeriesCoder, SeriesEncoder)]


def rows(n: int) -> npt.NDArray[np.object_]:
    """A number with gaps, a label, a truth value and a time."""
    rng = np.random.default_rng(0)
    table = np.empty((n, 4), dtype=object)
    table[:, 0] = rng.normal(size=n)
    table[rng.random(n) < 0.1, 0] = None
    table[:, 1] = np.array(["red", "blue"])[rng.integers(2, size=n)]
    table[:, 2] = rng.random(n) < 0.3
    table[:, 3] = [1.4e9 + 300 * i for i in range(n)]
    return table


def pair(is_series: bool) -> tuple[Detector, OnlineRBMDetector]:
    """A plain detector and its face, with the same arguments."""
    kinds = {3: "timestamp"}
    plain, face = (SeriesCoder, SeriesEncoder) if is_series else (TableCoder, TableEncoder)
    alarms = Deviations() if is_series else None
    return (
        Detector(plain(kinds=kinds), RBM, warm_up=60, alarms=alarms, random_state=3),  # type: ignore[arg-type]
        OnlineRBMDetector(face(kinds=kinds), RBM, warm_up=60, alarms=alarms, random_state=3),  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("is_series", [False, True], ids=["table", "series"])
@pytest.mark.parametrize("n", [30, 60, 210])
def test_a_plain_detector_learns_and_saves_what_its_face_does(n: int, is_series: bool, tmp_path: Path) -> None:
    plain, face = pair(is_series)
    np.testing.assert_array_equal(plain.learn_scored(rows(n)), face.learn_scored(rows(n)))
    plain.save(tmp_path / "plain")
    face.save(tmp_path / "face")
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "face").read_bytes()


@pytest.mark.parametrize("is_series", [False, True], ids=["table", "series"])
def test_either_reads_the_file_of_the_other_and_goes_on(is_series: bool, tmp_path: Path) -> None:
    plain, face = pair(is_series)
    for model, name in ((plain, "plain"), (face, "face")):
        model.learn_scored(rows(210)[:150])
        model.save(tmp_path / name)
    swapped = Detector.load(tmp_path / "face"), OnlineRBMDetector.load(tmp_path / "plain")
    assert type(swapped[0].encoder_) is (SeriesCoder if is_series else TableCoder)
    assert type(swapped[1].encoder_) is (SeriesEncoder if is_series else TableEncoder)
    expected = face.learn_scored(rows(210)[150:])
    for model in swapped:
        np.testing.assert_array_equal(model.learn_scored(rows(210)[150:]), expected)


def test_a_plain_detector_answers_as_its_face_does() -> None:
    plain, face = pair(is_series=False)
    gap = rows(1)
    gap[0, :2] = None
    for model in (plain, face):
        model.learn_scored(rows(210))
    for ask in ("surprise", "p_values", "explain", "column_p_values"):
        np.testing.assert_array_equal(getattr(plain, ask)(rows(20)), getattr(face, ask)(rows(20)))
    assert repr(plain.sample(5, random_state=1)) == repr(face.sample(5, random_state=1))  # NaN is not equal to NaN
    assert repr(plain.impute(gap, random_state=1)) == repr(face.impute(gap, random_state=1))


def test_a_plain_detector_gives_arrays_where_its_face_gives_data_frames(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows(100)[:, :3], columns=list("abc"))
    OnlineRBMDetector(rbm=RBM, warm_up=60, random_state=0).partial_fit(frame).save(tmp_path / "m")
    face, plain = OnlineRBMDetector.load(tmp_path / "m"), Detector.load(tmp_path / "m")
    assert isinstance(face.sample(3), pd.DataFrame)
    assert isinstance(plain.sample(3), np.ndarray)
    plain.learn_scored(rows(10)[:, :3])
    plain.save(tmp_path / "m")
    assert isinstance(OnlineRBMDetector.load(tmp_path / "m").sample(3), pd.DataFrame), "the file still says so"


@pytest.mark.parametrize(("plain", "face"), PAIRS)
def test_a_plain_class_has_the_arguments_of_its_face(plain: type, face: type[BaseEstimator]) -> None:
    defaults = [
        {name: each.default for name, each in inspect.signature(cls).parameters.items()} for cls in (plain, face)
    ]
    assert defaults[0] == defaults[1]
    assert list(arguments_of(plain()).items()) == list(face().get_params(deep=False).items())
    assert not issubclass(plain, BaseEstimator)
    assert issubclass(face, plain)


def test_a_subclass_of_a_face_is_saved_by_its_own_name(tmp_path: Path) -> None:
    class Mine(OnlineRBMDetector):
        pass

    Mine(rbm=RBM, warm_up=60).partial_fit(rows(70)[:, :3]).save(tmp_path / "m")
    assert isinstance(Mine.load(tmp_path / "m"), Mine)
    for other in (OnlineRBMDetector, Detector):
        with pytest.raises(ValueError, match="holds a Mine, not an OnlineRBMDetector"):
            other.load(tmp_path / "m")


def test_what_is_asked_too_early_is_refused() -> None:
    with pytest.raises(NotReadyError, match="has learned nothing yet"):
        Detector().surprise(rows(3))
    with pytest.raises(NotReadyError, match="0 of warm_up=500 rows"):
        TableCoder().codes(rows(3))
    with pytest.raises(NotReadyError, match="no rows to make codes from"):
        TableCoder().freeze()


def test_rows_with_other_columns_are_refused() -> None:
    plain = Detector(rbm=RBM, warm_up=60)
    plain.learn_scored(rows(70)[:, :3])
    with pytest.raises(ValueError, match="have 4 columns, but the first ones had 3"):
        plain.surprise(rows(5))
