"""What the plots draw is what the model has, and what they are given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from genreplay import OnlineRBM, OnlineRBMDetector, plots
from genreplay.estimators.alarms import JudgedRows

JUDGED = JudgedRows(np.arange(3.0), np.array([True, False, True]), np.array([0, 0, 1]))


@pytest.fixture(scope="module")
def rbm() -> OnlineRBM:
    rows = np.random.default_rng(0).random((300, 12)) < 0.4
    return OnlineRBM(n_hidden=7, random_state=0).fit(rows)


@pytest.fixture
def ax() -> Axes:
    """Axes that pyplot knows nothing of."""
    return Figure().subplots()


@pytest.fixture
def pyplot() -> Iterator[object]:
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    plt.close("all")
    yield plt
    plt.close("all")


def tile(ax: Axes, line: int, column: int, shape: tuple[int, int]) -> np.ma.MaskedArray:
    """An image of a sheet, by its place."""
    top, left = line * (shape[0] + 1), column * (shape[1] + 1)
    return ax.images[0].get_array()[top : top + shape[0], left : left + shape[1]]


def test_every_row_is_an_image_and_nothing_is_between_them(ax: Axes) -> None:
    rows = np.arange(60).reshape(5, 12) / 60
    assert plots.images(rows, shape=(3, 4), n_columns=2, ax=ax) is ax
    sheet = ax.images[0].get_array()
    assert sheet.shape == (3 * 3 + 2, 2 * 4 + 1)
    for index, row in enumerate(rows):
        np.testing.assert_array_equal(tile(ax, *divmod(index, 2), (3, 4)), row.reshape(3, 4))
    assert sheet.mask.sum() == sheet.size - rows.size, "the lines between, and the place of a sixth image"
    assert sheet.mask[:, 4].all()
    assert ax.images[0].get_clim() == (0, 1)


def test_a_sheet_is_about_as_high_as_wide_and_square_images_need_no_shape(ax: Axes) -> None:
    plots.images(np.zeros((10, 9)), ax=ax)
    assert ax.images[0].get_array().shape == (3 * 3 + 2, 4 * 3 + 3)


def test_pixels_that_are_unknown_stay_empty(ax: Axes) -> None:
    plots.images([[1.0, np.nan, 0.0, 1.0]], ax=ax)
    assert ax.images[0].get_array().mask.tolist() == [[False, True], [False, False]]


def test_dreams_are_those_of_the_model(rbm: OnlineRBM, ax: Axes) -> None:
    plots.dreams(rbm, 6, n_gibbs=3, shape=(4, 3), n_columns=3, random_state=5, ax=ax)
    for index, row in enumerate(rbm.sample(6, n_gibbs=3, random_state=5)):
        np.testing.assert_array_equal(tile(ax, *divmod(index, 3), (4, 3)), row.reshape(4, 3))


def test_filters_are_the_weights_of_the_units_on_one_scale_around_zero(rbm: OnlineRBM, ax: Axes) -> None:
    plots.filters(rbm, [6, 2, 2], shape=(2, 6), n_columns=3, ax=ax)
    for column, unit in enumerate([6, 2, 2]):
        np.testing.assert_allclose(tile(ax, 0, column, (2, 6)), rbm.components_[unit].reshape(2, 6))
    scale = np.abs(rbm.components_[[6, 2]]).max()
    assert ax.images[0].get_clim() == pytest.approx((-scale, scale))
    blue = ax.images[0].to_rgba(np.array([[scale]]))[0, 0]
    assert blue[2] > 2 * blue[0], "a weight that switches a unit on is blue"


def test_all_filters_are_shown_by_default_up_to_a_hundred(rbm: OnlineRBM, ax: Axes) -> None:
    plots.filters(rbm, shape=(3, 4), n_columns=1, ax=ax)
    assert (~ax.images[0].get_array().mask).sum() == rbm.components_.size
    many = OnlineRBM(n_hidden=101, random_state=0).fit(np.eye(4).repeat(25, axis=0))
    assert (~plots.filters(many, ax=Figure().subplots()).images[0].get_array().mask).sum() == 100 * 4


def test_the_scores_of_a_stream_are_drawn_and_those_above_the_threshold_marked(ax: Axes) -> None:
    scores = np.array([np.nan, 1.0, 5.0, 2.0, 7.0])
    assert plots.stream(scores, threshold=5, ax=ax) is ax
    all_rows, threshold, alarms = ax.lines
    np.testing.assert_array_equal(all_rows.get_ydata(), scores)
    np.testing.assert_array_equal(all_rows.get_xdata(), np.arange(5))
    assert set(threshold.get_ydata()) == {5}
    assert alarms.get_xdata().tolist() == [2, 4]
    assert alarms.get_ydata().tolist() == [5, 7]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("row", "score")


def test_small_p_values_are_alarms_at_the_top(ax: Axes) -> None:
    plots.stream([0.5, 0.001, 0.02], threshold=0.01, p_values=True, ax=ax)
    assert ax.lines[-1].get_xdata().tolist() == [1]
    assert ax.get_yscale() == "log"
    assert ax.yaxis_inverted()


@pytest.mark.parametrize("scores", [[1.0, 9.0, 1.0], JUDGED])
def test_given_alarms_count_more_than_those_of_the_threshold_or_the_series(
    scores: list[float] | JudgedRows, ax: Axes
) -> None:
    plots.stream(scores, alarms=[False, False, True], threshold=5, ax=ax)
    assert ax.lines[-1].get_xdata().tolist() == [2]


def test_a_stream_without_alarms_has_no_mark(ax: Axes) -> None:
    plots.stream([1.0, 2.0], ax=ax)
    assert len(ax.lines) == 1


def test_alarms_of_a_series_have_the_colour_and_the_name_of_their_column(ax: Axes) -> None:
    alarm = np.array([False, True, True, False, True])
    judged = JudgedRows(np.arange(5.0), alarm, np.array([-1, 2, 1, 1, 2]))
    times = np.datetime64("2024-01-01T00:00") + np.arange(5)
    plots.stream(judged, times, names=["time", "load", "heat"], ax=ax)
    load, heat = ax.lines[1:]
    assert (load.get_label(), heat.get_label()) == ("alarm: load", "alarm: heat")
    assert (to_hex(load.get_color()), to_hex(heat.get_color())) == (to_hex("C1"), to_hex("C2"))
    assert load.get_xdata().tolist() == times[[2]].tolist()
    assert heat.get_ydata().tolist() == [1, 4]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["alarm: load", "alarm: heat"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time", "anomaly")


def test_without_names_all_alarms_of_a_series_look_alike(ax: Axes) -> None:
    plots.stream(JUDGED, ax=ax)
    assert ax.lines[-1].get_xdata().tolist() == [0, 2]
    assert ax.get_legend() is None


def test_an_explanation_is_drawn_cell_by_cell(ax: Axes) -> None:
    nats = np.array([[0.2, 4.0], [-1.0, 0.99], [1.0, 8.26]])
    assert plots.columns(nats, names=["speed", "load"], rows=["a", "b", "c"], ax=ax) is ax
    np.testing.assert_array_equal(ax.images[0].get_array(), nats)
    assert ax.images[0].get_clim() == (0, 8.26)
    written = {(text.get_position(), text.get_text()) for text in ax.texts}
    assert written == {((1, 0), "4.0"), ((0, 2), "1.0"), ((1, 2), "8.3")}, "column and row, from 1 nat on"
    assert [text.get_text() for text in ax.get_xticklabels()] == ["speed", "load"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]


def test_an_explanation_without_names_counts_columns_and_rows(ax: Axes) -> None:
    plots.columns(np.zeros((2, 3)), ax=ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["x0", "x1", "x2"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0", "1"]
    assert ax.images[0].get_clim() == (0, 1), "cells that surprise nobody are not dark"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_gives_the_names(library: str, ax: Axes) -> None:
    module = pytest.importorskip(library)
    rows = np.random.default_rng(0).normal(size=(600, 2))
    frame = module.DataFrame({"speed": rows[:, 0], "load": rows[:, 1]})
    detector = OnlineRBMDetector(random_state=0).fit(frame)
    plots.columns(detector.explain(frame[40:43]), ax=ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["speed", "load"]
    expected = ["40", "41", "42"] if library == "pandas" else ["0", "1", "2"]
    assert [text.get_text() for text in ax.get_yticklabels()] == expected


def test_many_rows_have_colours_only(ax: Axes) -> None:
    plots.columns(np.full((31, 2), 5.0), ax=ax)
    assert len(ax.texts) == 0
    assert [text.get_text() for text in ax.get_yticklabels()] == []


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda ax: plots.images(np.zeros((2, 12)), ax=ax), r"12 pixels make no square image: pass shape="),
        (lambda ax: plots.images(np.zeros((2, 12)), shape=(3, 5), ax=ax), r"must make 12 pixels.*Got \(3, 5\)"),
        (lambda ax: plots.images(np.zeros((2, 12)), shape=(-3, -4), ax=ax), r"must make 12 pixels.*Got \(-3, -4\)"),
        (lambda ax: plots.images(np.zeros(12), ax=ax), r"two dimensions.*\(12,\)"),
        (lambda ax: plots.images(np.zeros((0, 4)), ax=ax), r"one row or more.*\(0, 4\)"),
        (lambda ax: plots.images(np.zeros((2, 4)), n_columns=0, ax=ax), r"'n_columns'.*positive int. Got 0"),
        (lambda ax: plots.stream(np.zeros((2, 2)), ax=ax), r"one number for each row.*\(2, 2\)"),
        (lambda ax: plots.stream([1.0, 2.0], [1], ax=ax), r"'times'.*each of the 2 rows.*\(1,\)"),
        (lambda ax: plots.stream([1.0, 2.0], alarms=[True], ax=ax), r"'alarms'.*each of the 2 rows.*\(1,\)"),
        (lambda ax: plots.stream([1.0, 2.0], alarms=[0, 1], ax=ax), r"'alarms'.*a bool for each row"),
        (lambda ax: plots.stream([1.0, 2.0], names=["a"], ax=ax), r"'names'.*learn_judged"),
        (lambda ax: plots.stream(JUDGED, names=["time"], ax=ax), r"'names'.*all columns.*Got 1 for 2 or more"),
        (lambda ax: plots.stream([0.5, 2.0], p_values=True, ax=ax), r"between 0 and 1"),
        (lambda ax: plots.columns(np.zeros(3), ax=ax), r"what explain returned.*\(3,\)"),
        (lambda ax: plots.columns(np.zeros((1, 3)), names=["a"], ax=ax), r"'names'.*3 labels. Got 1"),
        (lambda ax: plots.columns(np.zeros((1, 3)), rows=["a", "b"], ax=ax), r"'rows'.*1 labels. Got 2"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_is_drawn(call: object, complaint: str, ax: Axes) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=complaint) as error:
        call(ax)
    assert str(error.value).endswith(".")
    assert not ax.has_data()


@pytest.mark.parametrize("units", [[7], [-1], [], [0.5]])
def test_units_that_a_model_lacks_are_refused(rbm: OnlineRBM, units: list[int], ax: Axes) -> None:
    with pytest.raises(ValueError, match="hidden units from 0 to 6"):
        plots.filters(rbm, units, shape=(3, 4), ax=ax)


def test_a_model_that_has_learned_nothing_has_no_pictures(ax: Axes) -> None:
    with pytest.raises(NotFittedError):
        plots.dreams(OnlineRBM(), ax=ax)
    with pytest.raises(NotFittedError):
        plots.filters(OnlineRBM(), ax=ax)


def test_without_axes_pyplot_gets_a_figure_that_it_can_show(pyplot: object) -> None:
    ax = plots.images(np.zeros((1, 4)))
    assert [pyplot.figure(n) for n in pyplot.get_fignums()] == [ax.figure]  # type: ignore[attr-defined]


def test_with_axes_pyplot_is_not_even_imported() -> None:
    code = """
import sys
import numpy as np
from matplotlib.figure import Figure
from genreplay import plots
plots.images(np.zeros((1, 4)), ax=Figure().subplots())
plots.stream([1.0, 2.0], threshold=1, ax=Figure().subplots())
plots.columns(np.ones((2, 2)), ax=Figure().subplots())
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_matplotlib_is_imported_when_something_is_drawn() -> None:
    code = "import sys, genreplay.plots; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
