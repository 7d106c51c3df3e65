"""The layout of drawn trees: nothing overlaps, parents stand above the middle of their children."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.show.picture.layout import Grid, Layout, layout_with_grids, tidy_layout

BINARY = np.array([-1, 0, 0, 1, 1, 2, 2])


@st.composite
def parents(draw: st.DrawFn) -> np.ndarray:
    """The parents of the nodes of a random tree, numbered level by level."""
    above = [-1]
    node = 0
    while node < len(above) and len(above) < 60:
        above += [node] * draw(st.sampled_from([0, 0, 1, 2, 2, 3, 7]))
        node += 1
    return np.array(above)


def lay_out(parent: np.ndarray, **options: float) -> Layout:
    return tidy_layout(parent, np.full(len(parent), 2.0), np.ones(len(parent)), **options)


def children_of(parent: np.ndarray, node: int) -> list[int]:
    return np.flatnonzero(parent == node).tolist()


# ---------------------------------------------------------------- what it looks like


def test_a_single_node_stands_at_the_left_upper_corner() -> None:
    layout = lay_out(np.array([-1]))
    assert (layout.x.tolist(), layout.y.tolist()) == ([1.0], [0.0])
    assert (layout.width, layout.height) == (2.0, 1.0)


def test_leaves_stand_side_by_side_with_a_gap() -> None:
    layout = lay_out(BINARY, gap=1.0, level_gap=3.0)
    assert layout.x.tolist() == [5.5, 2.5, 8.5, 1.0, 4.0, 7.0, 10.0]
    assert layout.y.tolist() == [0.0, 4.0, 4.0, 8.0, 8.0, 8.0, 8.0]
    assert (layout.width, layout.height) == (11.0, 9.0)


def test_a_small_subtree_between_large_ones_stands_in_the_middle() -> None:
    # A root with children 1, 2, 3, of which the outer two have three children each.
    parent = np.array([-1, 0, 0, 0, 1, 1, 1, 3, 3, 3])
    layout = lay_out(parent)
    assert layout.x[2] == pytest.approx((layout.x[1] + layout.x[3]) / 2)


def test_a_level_is_as_tall_as_its_tallest_node() -> None:
    heights = np.array([1.0, 2.0, 5.0, 1.0])
    layout = tidy_layout(np.array([-1, 0, 0, 1]), np.ones(4), heights, level_gap=1.0)
    assert layout.tops.tolist() == [0.0, 2.0, 8.0]
    assert layout.heights.tolist() == [1.0, 5.0, 1.0]


def test_far_reaching_branches_get_more_room_but_no_more_than_three_times_as_much() -> None:
    fan = np.array([-1] + [0] * 9)
    flat, steep, capped = (lay_out(fan, slope=slope).tops[1] for slope in (0.0, 0.2, 9.0))
    assert flat == 2.0
    assert steep == pytest.approx(1.0 + 0.2 * 12.0)
    assert capped == 4.0


# ---------------------------------------------------------------- for every tree


@given(parents(), st.integers(0, 2**32 - 1))
def test_nodes_of_a_level_keep_their_order_and_their_distance(
    parent: np.ndarray, seed: int
) -> None:
    random = np.random.default_rng(seed)
    widths = random.integers(1, 12, len(parent)).astype(float)
    layout = tidy_layout(parent, widths, np.ones(len(parent)), gap=1.5)
    for top in np.unique(layout.y):
        level = np.flatnonzero(layout.y == top)
        left, right = (layout.x - widths / 2)[level], (layout.x + widths / 2)[level]
        assert (left[1:] - right[:-1] >= 1.5 - 1e-9).all()
    assert (layout.x - widths / 2).min() == pytest.approx(0.0)
    assert (layout.x + widths / 2).max() == pytest.approx(layout.width)


@given(parents())
def test_a_parent_stands_in_the_middle_above_its_first_and_last_child(parent: np.ndarray) -> None:
    layout = lay_out(parent)
    for node in set(parent.tolist()) - {-1}:
        below = children_of(parent, node)
        assert layout.x[node] == pytest.approx((layout.x[below[0]] + layout.x[below[-1]]) / 2)
        assert (layout.y[below] > layout.y[node]).all()


@given(parents())
def test_subtrees_of_the_same_shape_are_drawn_alike(parent: np.ndarray) -> None:
    # The same tree twice below a common root, level by level.
    once = lay_out(parent)
    depth = once.y
    order = sorted(
        [(depth[i], copy, i) for copy in (0, 1) for i in range(len(parent))],
    )
    number = {(copy, i): place + 1 for place, (_, copy, i) in enumerate(order)}
    above = [-1] + [0 if i == 0 else number[copy, parent[i]] for _, copy, i in order]
    twice = lay_out(np.array(above))
    for copy in (0, 1):
        places = np.array([twice.x[number[copy, i]] for i in range(len(parent))])
        assert places - places[0] == pytest.approx(once.x - once.x[0])


def test_depth_does_not_matter() -> None:
    n = 50_000
    layout = lay_out(np.arange(-1, n - 1))
    assert layout.height == 2 * n - 1
    assert (layout.x == 1.0).all()


# ---------------------------------------------------------------- grids


@given(st.integers(1, 400), st.floats(20, 400), st.floats(10, 60))
def test_the_cells_of_a_grid_are_apart_and_inside(n: int, width: float, height: float) -> None:
    grid = Grid(n, width, height)
    corners = [grid.corner(i) for i in range(n)]
    assert len(set(corners)) == n
    assert max(x for x, _ in corners) + width == pytest.approx(grid.width)
    assert max(y for _, y in corners) + height == pytest.approx(grid.height)


def test_a_grid_stands_below_its_parent_like_one_wide_node() -> None:
    parent = np.array([-1, 0, 0, *[1] * 12, 2, 2])
    widths, heights = np.full(len(parent), 2.0), np.ones(len(parent))
    grid = Grid(12, 5.0, 3.0)
    layout = layout_with_grids(parent, widths, heights, {3: grid}, gap=1.0)
    instead = np.array([-1, 0, 0, 1, 2, 2])
    sizes = np.array([2.0, 2, 2, grid.width, 2, 2]), np.array([1.0, 1, 1, grid.height, 1, 1])
    expected = tidy_layout(instead, *sizes, gap=1.0)
    assert (layout.width, layout.height) == (expected.width, expected.height)
    assert layout.x[[0, 1, 2, 15, 16]].tolist() == expected.x[[0, 1, 2, 4, 5]].tolist()
    corners = np.array([grid.corner(i) for i in range(12)])
    assert np.diff(layout.x[3:15]).tolist() == np.diff(corners[:, 0]).tolist()
    assert np.diff(layout.y[3:15]).tolist() == np.diff(corners[:, 1]).tolist()


def test_room_beside_a_node_is_that_to_the_nearest_of_its_level() -> None:
    layout = lay_out(np.array([-1, 0, 0, 0, 1]), gap=1.0)
    assert layout.room_beside(2) == 3.0
    assert layout.room_beside(0) == layout.room_beside(4) == float("inf")
