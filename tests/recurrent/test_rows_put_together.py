"""What `pfor`, `for_loop` and `vectorized_map` make of results that are no dense tensors."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.recurrent.parallel_for import for_loop

ROWS = np.arange(6, dtype=np.float32).reshape(3, 2)


def test_rows_may_give_sparse_tensors_and_none() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.vectorized_map(
            lambda row: {"sparse": tf.SparseTensor([[1]], row[:1], [2]), "none": None, "sum": tf.reduce_sum(row)}, ROWS
        )
        assert made["none"] is None
        sparse, total = session.run((made["sparse"], made["sum"]))
    assert sparse.indices.tolist() == [[0, 1], [1, 1], [2, 1]]
    assert sparse.values.tolist() == [0.0, 2.0, 4.0]
    assert sparse.dense_shape.tolist() == [3, 2]
    assert total.tolist() == [1.0, 5.0, 9.0]


def test_a_loop_may_give_none_and_as_many_results_as_types() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        nothing, doubled = for_loop(lambda i: (None, i * 2), (tf.float32, tf.int32), 3)
        assert nothing is None
        assert session.run(doubled).tolist() == [0, 2, 4]
        with pytest.raises(ValueError, match=r"expected outputs, 1, .* actual outputs, 2"):
            for_loop(lambda i: (i, i), tf.int32, 3)
