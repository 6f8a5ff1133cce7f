"""Labels beside marks: near them, over no mark and no other label where there is room."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from intervals import steadily

from penstock.plot.labels import Box, box_of_mark, place_labels

ROOM = Box(0, 0, 300, 270)


def placed(marks: list[tuple[float, float]], width: float = 40, lines: tuple[Box, ...] = ()) -> list[Box]:
    found = place_labels(marks, [width] * len(marks), lines, ROOM)
    boxes = [box for box in found if box is not None]
    assert len(boxes) == len(marks)
    return boxes


def test_a_mark_alone_has_its_label_at_its_right_and_one_at_the_edge_at_its_left() -> None:
    (alone,) = placed([(100, 100)])
    assert (alone.left, alone.top, alone.bottom) == (106, 95, 105)
    (edge,) = placed([(295, 100)])
    assert (edge.right, edge.top) == (289, 95)


def test_a_label_stands_over_no_mark_of_others_and_no_line() -> None:
    marks = [(100.0, 100.0), (120.0, 100.0)]
    found = place_labels(marks, [40, None], [], ROOM)
    assert found[1] is None
    assert found[0] is not None
    assert (found[0].right, found[0].top) == (94, 95)
    (crossed,) = placed([(100, 100)], lines=(Box(0, 99.5, 300, 100.5),))
    assert not crossed.touches(Box(0, 99.5, 300, 100.5))


def test_a_heap_of_marks_at_the_lower_right_has_its_labels_around_it() -> None:
    marks = [(280.0 + 3 * (place % 4), 240.0 + 4 * place) for place in range(7)]
    boxes = placed(marks)
    assert all(ROOM.holds(box) for box in boxes)
    assert not any(one.touches(other) for one, other in combinations(boxes, 2))
    assert not any(box.touches(box_of_mark(*mark)) for box in boxes for mark in marks)


def test_a_label_that_is_wider_than_its_panel_is_still_drawn() -> None:
    (wide,) = placed([(100, 100)], width=400)
    assert (wide.left, wide.right) == (106, 506)


@steadily
@given(st.lists(st.tuples(st.floats(0, 300), st.floats(0, 270)), max_size=12))
def test_labels_are_within_the_panel_and_apart_wherever_the_marks_are(marks: list[tuple[float, float]]) -> None:
    boxes = placed(marks)
    assert all(ROOM.holds(box) for box in boxes)
    assert not any(one.touches(other) for one, other in combinations(boxes, 2))
    assert boxes == placed(marks)
