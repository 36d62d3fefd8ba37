"""Functions that are called eagerly: each is planned once for shapes that come again."""

from __future__ import annotations

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.runtime import eager


def test_functions_that_hand_lists_to_their_gradient_are_planned_once(monkeypatch):
    @tf.function
    def product(rows, factor):
        result = tf.ones([])
        for row in rows:
            result = result * row * factor
        return result

    def gradient():
        with tf.GradientTape() as tape:
            tape.watch(factor)
            result = product(rows, factor)
        return tape.gradient(result, factor)

    with eager_mode():
        rows, factor = tf.constant([2.0, 3.0, 4.0]), tf.constant(2.0)
        for _ in range(3):
            assert gradient().numpy() == 24.0 * 3 * 2.0**2
        again = []
        planned = eager.planned
        monkeypatch.setattr(eager, "planned", lambda *given: again.append(given) or planned(*given))
        assert gradient().numpy() == 24.0 * 3 * 2.0**2
        assert not again
