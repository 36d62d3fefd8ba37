"""Functions of elements as `Defun` traces them: what `get_variable` makes in them is read outside."""

import contextlib

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode

Dataset = tf.data.Dataset


def counter(use_resource=True):
    with tf.variable_scope("variables", reuse=tf.AUTO_REUSE):
        return tf.get_variable("counter", [], tf.int64, tf.constant_initializer(3), use_resource=use_resource)


def values(dataset):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), iterator.initializer])
        return [session.run(element) for _ in range(2)]


@pytest.mark.parametrize("eagerly", [False, True])
def test_a_resource_variable_comes_as_a_tensor(eagerly):
    with eager_mode() if eagerly else contextlib.nullcontext():
        dataset = Dataset.range(2)
        # As in 1.15.5, eagerly too.
        with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'assign_add'"):
            dataset.map_with_legacy_function(lambda x: counter().assign_add(x))


def test_its_value_is_that_of_the_start():
    dataset = Dataset.range(4)
    assert values(dataset.map_with_legacy_function(lambda x: x + counter())) == [3, 4]
    assert values(dataset.filter_with_legacy_function(lambda x: x >= counter() - 2)) == [1, 2]
    batched = tf.data.experimental.map_and_batch_with_legacy_function(lambda x: x * counter(), 2)
    np.testing.assert_array_equal(values(dataset.apply(batched)), [[0, 3], [6, 9]])


def test_others_stay_variables():
    seen = []
    dataset = Dataset.range(2)
    dataset.map_with_legacy_function(lambda x: (seen.append(counter(use_resource=False)), x)[1])
    dataset.map(lambda x: (seen.append(counter(use_resource=False)), x)[1])
    assert [hasattr(value, "initializer") for value in seen] == [True, True]
