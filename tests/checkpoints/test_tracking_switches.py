"""What classes of programs call and set of the objects that checkpoints save."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.checkpoints.auto_trackable import AutoTrackable
from headrace.checkpoints.object_graph import escaped


@pytest.mark.parametrize("base", [AutoTrackable, tf.keras.Model, tf.keras.layers.Layer])
def test_attributes_are_tracked_unless_told_otherwise(base: type) -> None:
    class Holder(base):  # type: ignore[misc,valid-type]  # several bases in turn
        def __init__(self) -> None:
            super().__init__()
            self._maybe_initialize_trackable()
            self.seen = tf.keras.layers.Dense(1)
            self._setattr_tracking = False
            self.hidden = tf.keras.layers.Dense(1)
            self._setattr_tracking = True

    with tf.Graph().as_default():
        holder = Holder()
        assert "seen" in holder._unconditional_dependency_names
        assert "hidden" not in holder._unconditional_dependency_names
        assert holder._setattr_tracking


def test_names_within_paths() -> None:
    assert [escaped(name) for name in ("a", "a.b", "a/b", ".S")] == ["a", "a..b", "a.Sb", "..S"]
