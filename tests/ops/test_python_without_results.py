"""Python functions that give nothing."""

from __future__ import annotations

import headrace as tf
from headrace.python.eager import context


def test_no_types_are_no_results() -> None:
    seen = []
    with context.eager_mode():
        assert tf.py_function(lambda x: seen.append(float(x)), [tf.constant(3.0)], []) == []
    assert seen == [3.0]
