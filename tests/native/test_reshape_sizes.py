"""Sizes that a reshape is given while it runs are those it takes, or is refused: none follows from the others unasked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import headrace as tf

VALUES = [1.0, 2.0, 3.0, 4.0]
SHAPES: dict[str, Callable[[Any], Any]] = {
    "stacked": lambda n: tf.stack([n, 2]),
    "computed": lambda n: tf.stack([n + 0, 2]),
    "joined": lambda n: tf.concat([tf.reshape(n, [1]), [2]], 0),
}


@pytest.mark.parametrize("kind", sorted(SHAPES))
def test_a_number_of_rows_that_does_not_fit_is_refused(kind: str) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        values, n = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [])
        rows = tf.reshape(values + 1.0, SHAPES[kind](n)) * 2.0
        assert rows.shape.as_list() == [None, 2]
        for fitting in (2, -1):
            assert sess.run(rows, {values: VALUES, n: fitting}).tolist() == [[4.0, 6.0], [8.0, 10.0]]
        for other in (0, 1, 3):
            with pytest.raises(tf.errors.InvalidArgumentError):
                sess.run(rows, {values: VALUES, n: other})
