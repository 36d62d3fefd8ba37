"""Constants of eager execution, and arrays of its tensors: none shares what another may write."""

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode


@pytest.fixture(autouse=True)
def _eagerly():
    with eager_mode():
        yield


def test_an_array_that_is_written_later_leaves_its_tensor_alone():
    array = np.ones([2, 2], "float32")
    tensor = tf.constant(array)
    array[:] = 7
    got = tensor.numpy()
    got[:] = 8
    np.testing.assert_array_equal(tensor.numpy(), np.ones([2, 2]))


def test_a_number_that_comes_again_is_another_tensor_of_the_same_value():
    first, second = tf.constant(3.5), tf.constant(3.5)
    assert first is not second
    assert first.numpy() == second.numpy() == np.float32(3.5)
    kinds = [(tf.constant(1).dtype, tf.constant(1.0).dtype, tf.constant(True).dtype) for _ in range(2)]
    assert kinds == [(tf.int32, tf.float32, tf.bool)] * 2
    assert [tf.constant(1, tf.int64).dtype for _ in range(2)] == [tf.int64] * 2


def test_zeros_keep_their_signs_and_shapes_are_not_taken_for_scalars():
    assert [np.signbit(tf.constant(x).numpy()) for x in (0.0, -0.0, 0.0, -0.0)] == [False, True, False, True]
    assert tf.constant(2.5, shape=[3]).shape == [3]
    assert tf.constant(2.5).shape == []
    assert np.isnan(tf.constant(float("nan")).numpy())


def test_a_variable_made_of_a_number_does_not_change_the_number():
    for _ in range(3):
        v = tf.Variable(4.25)
        v.assign(4.25)
        v.assign_add(1.0)
        assert (v.numpy(), tf.constant(4.25).numpy()) == (5.25, 4.25)


def test_transposed_arrays_keep_their_order_of_elements():
    array = np.arange(6, dtype="float32").reshape(2, 3).T
    np.testing.assert_array_equal(tf.constant(array).numpy(), array)
    assert tf.reshape(tf.constant(array), [-1]).numpy().tolist() == [0, 3, 1, 4, 2, 5]


def test_attributes_that_are_lists_are_part_of_what_is_known():
    x = tf.constant(np.ones([1, 2, 1], "float32"))
    for _ in range(3):
        assert tf.squeeze(x, [0]).shape == [2, 1]
        assert tf.squeeze(x, [2]).shape == [1, 2]
        assert tf.squeeze(x).shape == [2]


@pytest.mark.parametrize("taken", [lambda v: v.read_value(), lambda v: tf.reshape(v, [2, 2]), lambda v: v[1:3]])
def test_what_was_read_of_a_variable_stays_when_it_is_written(taken):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    kept = taken(v)
    before = kept.numpy()
    view = kept.__array__(copy=False)
    v.assign_add([1.0] * 4)
    np.testing.assert_array_equal(kept.numpy(), before)
    np.testing.assert_array_equal(view, before)
    v.assign([0.0] * 4)
    np.testing.assert_array_equal(kept.numpy(), before)


def test_a_variable_that_nobody_has_read_is_written_in_its_place():
    v = tf.Variable(np.zeros(1000, "float32"))
    v.read_value()
    buffer = v.handle._value
    place = buffer.value.data_ptr()
    v.assign_add(np.ones(1000, "float32"))
    assert buffer.value.data_ptr() == place
    assert v.numpy()[0] == 1.0


def test_an_array_kept_of_a_tensor_that_is_gone_stays():
    v = tf.Variable([1.0, 2.0])
    array = v.read_value().__array__(copy=False)
    v.assign_add([5.0, 5.0])
    assert array.tolist() == [1.0, 2.0]


def test_bytes_are_those_of_its_memory():
    # What 1.15.5 gives; of a number as many zeros, as of Python's own.
    assert bytes(tf.constant([1, 2])) == b"\x01\0\0\0\x02\0\0\0"
    assert bytes(tf.constant([[1.0], [2.0]], tf.float16)) == b"\0<\0@"
    assert bytes(tf.constant([], tf.float32)) == b""
    assert bytes(tf.constant(3)) == b"\0\0\0"


def test_its_memory_can_be_read_and_stays_as_it_was():
    v = tf.Variable([1.0, 2.0])
    view = v.read_value().__buffer__(0)
    assert (view.format, view.shape, view.readonly) == ("f", (2,), True)
    v.assign_add([5.0, 5.0])
    assert view.tolist() == [1.0, 2.0]
    with pytest.raises(BufferError, match="resource"):
        v.handle.__buffer__(0)


@pytest.mark.parametrize(
    ("value", "shape", "error"),
    [
        ([5], [3], tf.errors.InvalidArgumentError),
        (np.ones([1, 1]), [2, 2], tf.errors.InvalidArgumentError),
        ([1, 2], [0, 5], TypeError),
        ([None], [0], ValueError),
        ("a", [2, None], ValueError),
    ],
)
def test_only_a_scalar_fills_a_shape(value, shape, error):
    with pytest.raises(error):
        tf.constant(value, shape=shape)


def test_values_give_the_type_of_a_constant_without_elements():
    assert tf.constant("a", shape=[0, 2]).dtype == tf.string
    assert tf.constant(5, shape=[0]).dtype == tf.int32
    rows = tf.ragged.constant([[]], ragged_rank=1, inner_shape=[4])
    assert rows.values.shape == [0, 4]


def test_eager_shapes_are_verified():
    with pytest.raises(TypeError, match=r"shape: \(2, 1\), got \(1, 2\)"):
        tf.constant([[1, 2]], shape=[2, 1], verify_shape=True)
    assert tf.constant([[1, 2]], shape=[2, 1]).shape == [2, 1]


@pytest.mark.parametrize("values", [[True, 1], [True, 1.5], (True, 0), [[True], [1]], [1j, 1], [1, 1j], [1.5, 1j]])
def test_numbers_of_kinds_that_do_not_go_together_are_refused(values):
    with pytest.raises(ValueError, match="mixed types"):
        tf.constant(values)
    with pytest.raises(ValueError, match="mixed types"):
        tf.convert_to_tensor(values)


def test_numbers_that_go_together_follow_the_first():
    kept = {
        (1, True): tf.int32,
        (1.5, True): tf.float32,
        (1, 2.5): tf.float32,
        (2.5, 1): tf.float32,
        (1j, 2j): tf.complex128,
    }
    assert {values: tf.constant(values).dtype for values in kept} == kept
    assert tf.constant([True, False]).dtype == tf.bool
