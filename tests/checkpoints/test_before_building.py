"""Checkpoints whose object graphs name what they do not have, restored before the variables are made."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.messages import protos

KEY = "layer/kernel/.ATTRIBUTES/VARIABLE_VALUE"
WHOLE = np.arange(6, dtype=np.float32).reshape(3, 2)


def written(folder, kernel=2, key=KEY, value=WHOLE):
    """A checkpoint of an object with a layer; `kernel` is the number of the node that its kernel is said to be."""
    message = protos.TrackableObjectGraph()
    message.nodes.add().children.add(node_id=1, local_name="layer")
    message.nodes.add().children.add(node_id=kernel, local_name="kernel")
    message.nodes.add().attributes.add(name="VARIABLE_VALUE", checkpoint_key=key)
    path = str(folder / "model")
    tf.raw_ops.SaveV2(
        prefix=path,
        tensor_names=["_CHECKPOINTABLE_OBJECT_GRAPH", KEY],
        shape_and_slices=["", ""],
        tensors=[tf.constant(message.SerializeToString()), tf.constant(value)],
    )
    return path


def built(path):
    layer = tf.keras.layers.Dense(2, use_bias=False, kernel_initializer="ones")
    tf.train.Checkpoint(layer=layer).restore(path).expect_partial()
    layer.build([None, 3])
    return layer.kernel.numpy()


def test_a_value_is_there_when_the_layer_is_built(tmp_path):
    with eager_mode():
        np.testing.assert_array_equal(built(written(tmp_path)), WHOLE)


@pytest.mark.parametrize("kernel", [3, 2**31 - 1, -1, -3])
def test_a_node_that_is_not_there_is_no_value(tmp_path, kernel):
    with eager_mode():
        np.testing.assert_array_equal(built(written(tmp_path, kernel)), np.ones([3, 2]))


def test_a_key_that_is_not_there_is_named(tmp_path):
    with eager_mode(), pytest.raises(tf.errors.NotFoundError, match="elsewhere"):
        built(written(tmp_path, key="elsewhere"))


def test_another_shape_is_refused(tmp_path):
    with eager_mode(), pytest.raises(ValueError, match=r"'kernel' of dense.*\(3, 2\).*model.*\(2, 3\)"):
        built(written(tmp_path, value=WHOLE.T))
