from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="the extra rl is not installed")

from gymnasium import spaces

from genreplay.rl.transitions import MOST_ENDINGS, Part, TransitionCoder, Transitions, digits_of
from tests.rl.worlds import CORRIDOR, LINE, corridor, pushed_point


def coder_of(spaces_of: tuple[spaces.Space, spaces.Space], first: Transitions) -> TransitionCoder:
    obs, action = spaces_of
    return TransitionCoder(Part(obs, "the observation space"), Part(action, "the action space"), first, n_bins=24)


@pytest.mark.parametrize("n", [2, 16, 253, 254, 500, 997, 4096])
def test_digits_write_every_label_and_read_it_back(n: int) -> None:
    part, labels = Part(spaces.Discrete(n), "the observation space"), np.arange(n, dtype=np.float64)[:, np.newaxis]
    columns = part.columns(labels)
    assert (columns < part.radices).all()
    assert (part.values(columns) == labels).all()
    assert np.prod(digits_of(n)) >= n


def test_labels_come_back_from_their_codes_as_they_were() -> None:
    some = corridor(300)
    coder = coder_of(CORRIDOR, some)
    again = coder.transitions(coder.codes(some), np.random.default_rng(0))
    assert all((one == other).all() for one, other in zip(some, again, strict=True))


def test_numbers_come_back_within_their_intervals() -> None:
    some = pushed_point(500)
    coder = coder_of(LINE, some)
    codes = coder.codes(some)
    again = coder.transitions(codes, np.random.default_rng(0))
    assert (again.reward == some.reward).all()
    assert (again.done == some.done).all()
    assert not (again.obs == some.obs).any(axis=1).all(), "they are drawn from the intervals"
    anew = coder.codes(again)
    assert (anew[:, :3] == codes[:, :3]).all()
    assert (anew[:, 3:] == codes[:, 3:]).mean() > 0.99, "up to the rounding of a difference at the edge of an interval"


def test_endings_that_come_later_get_codes_of_their_own() -> None:
    first = corridor(3)  # too short to reach the end
    coder, later = coder_of(CORRIDOR, first), corridor(300)
    n_before = len(coder.endings)
    again = coder.transitions(coder.codes(later), np.random.default_rng(0))
    assert len(coder.endings) > n_before
    assert (again.reward == later.reward).all()


def test_when_no_code_is_left_the_nearest_ending_stands_in() -> None:
    n = MOST_ENDINGS + 20
    some = Transitions(np.zeros((n, 1)), np.zeros((n, 1)), np.zeros((n, 1)), np.arange(n, dtype=float), np.zeros(n))
    coder = coder_of(CORRIDOR, some.at(np.arange(10)))
    again = coder.transitions(coder.codes(some), np.random.default_rng(0))
    assert again.reward.tolist() == np.minimum(np.arange(n), MOST_ENDINGS - 1).tolist()


def test_an_ending_that_leaves_the_space_is_not_possible() -> None:
    some = corridor(300)
    coder = coder_of(CORRIDOR, some)
    codes = coder.codes(some)
    after = some.obs + np.array(coder.endings)[:, 0]
    assert (coder.possible(codes) == ((after >= 0) & (after < 6))).all()
    assert not coder.possible(codes).all()


def test_a_space_that_is_no_table_is_refused_with_a_way_out() -> None:
    with pytest.raises(ValueError, match=r"needs the observation space to be Box, Discrete.*FlattenObservation"):
        Part(spaces.Dict({"x": spaces.Discrete(2)}), "the observation space")
