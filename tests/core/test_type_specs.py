"""Values as descriptions: what a tensor can be made of is described as that tensor."""

import numpy as np
import pytest

import headrace as tf
from headrace.core.type_specs import type_spec_from_value
from headrace.distribute.device_maps import SingleDeviceMap
from headrace.distribute.values import PerReplica


@pytest.mark.parametrize(
    ("value", "shape", "dtype"),
    [
        (3, [], tf.int32),
        (1 << 40, [], tf.int64),
        ([1.0, 2], [2], tf.float32),
        ([], [0], tf.float32),
        (np.float64(2), [], tf.float64),
        ("text", [], tf.string),
        (["a", b"b"], [2], tf.string),
        (np.array(["a"], object), [1], tf.string),
    ],
)
def test_python_values_are_described_as_their_tensors(value, shape, dtype):
    assert type_spec_from_value(value) == tf.TensorSpec(shape, dtype)
    (found,) = PerReplica(SingleDeviceMap("CPU"), (value,))._type_spec._value_specs
    assert found == tf.TensorSpec(shape, dtype)


@pytest.mark.parametrize("value", [{"a"}, {"a": 1}.keys(), object(), [[1], [2, 3]], None, [None]])
def test_other_values_have_no_description(value):
    with pytest.raises(TypeError, match="Could not build a TypeSpec for .* with type " + type(value).__name__):
        type_spec_from_value(value)
