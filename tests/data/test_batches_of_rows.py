"""A map before a batch gives what mapping each element gives, whether or not it runs once a batch."""

import numpy as np
import pytest

import headrace as tf

ROWS = np.linspace(-2.0, 3.0, 7 * 3 * 2, dtype=np.float32).reshape(7, 3, 2)
LABELS = np.arange(7) % 4

FUNCTIONS = {
    "scaled": lambda x, y: (tf.cast(x, tf.float64) / 255.0 - 0.5, y),
    "one_hot": lambda x, y: (x, tf.one_hot(y, 4)),
    "flat": lambda x, y: tf.reshape(x, [-1]),
    "expanded": lambda x, y: tf.expand_dims(tf.nn.relu(x), 0),
    "expanded_last": lambda x, y: tf.expand_dims(x, -1),
    "row_constant": lambda x, y: x * tf.constant([1.0, 2.0]),
    "larger_constant": lambda x, y: x + tf.ones([4, 3, 2]),
    "scalar_and_rows": lambda x, y: x * tf.cast(y, tf.float32),
    "summed": lambda x, y: tf.reduce_sum(x),
    "sliced": lambda x, y: x[0],
    "constant_only": lambda x, y: (tf.constant(1.0), y),
    "random": lambda x, y: x + tf.random_uniform([], seed=1),
    "compared": lambda x, y: (tf.greater(x, 0.0), tf.equal(y, 2), tf.maximum(x, 0.5)),
}


def drained(dataset):
    value = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess:
        while True:
            try:
                found.append(sess.run(value))
            except tf.errors.OutOfRangeError:
                return found


def flat(batches):
    return [part for batch in batches for part in (batch if isinstance(batch, tuple) else (batch,))]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_same_as_one_by_one(name, shuffled):
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensor_slices((ROWS, LABELS))
        if shuffled:
            dataset = dataset.shuffle(4, seed=2, reshuffle_each_iteration=False)
        mapped = dataset.map(FUNCTIONS[name])
        together, apart = flat(drained(mapped.batch(3))), flat(drained(mapped.prefetch(1).batch(3)))
    assert len(together) == len(apart)
    for one, other in zip(together, apart, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_runs_once_a_batch():
    from headrace.kernels.data.rowwise import batched

    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.from_tensor_slices((ROWS, LABELS))
        whole = {}
        for name, function in FUNCTIONS.items():
            variant = dataset.map(function)._variant_tensor
            whole[name] = batched(graph._functions[variant.op.attrs["f"]], 2) is not None
    by_row = {"larger_constant", "scalar_and_rows", "summed", "sliced", "constant_only", "random"}
    assert {name for name, is_whole in whole.items() if not is_whole} == by_row
