"""Input functions of generators, and the queue their rows go through."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.learn.tensor_signatures import (
    TensorSignature,
    create_example_parser_from_signatures,
    create_placeholders_from_signatures,
    create_signatures,
    tensors_compatible,
)
from headrace.estimator.inputs.feeding import GeneratorFeedFn, enqueue_data

generator_input_fn = tf.contrib.learn.io.generator_input_fn


def rows():
    for i in range(3):
        yield {"size": np.array([i]), "pair": np.array([i, 10.0 * i]), "price": np.array([-1.0 * i])}


def batches(input_fn, count):
    with tf.Graph().as_default(), tf.Session() as sess:
        tensors = input_fn()
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord=coordinator)
        taken = [sess.run(tensors) for _ in range(count)]
        coordinator.request_stop()
        coordinator.join(threads)
        return taken


def test_features_and_the_target_of_rows_in_order():
    (features, price), _ = batches(generator_input_fn(rows, "price", batch_size=2, shuffle=False, num_epochs=None), 2)
    assert sorted(features) == ["pair", "size"]
    np.testing.assert_array_equal(features["size"], [[0], [1]])
    np.testing.assert_array_equal(features["pair"], [[0, 0], [1, 10]])
    np.testing.assert_array_equal(price, [[0], [-1]])


def test_several_targets_are_a_dict_and_none_leaves_features_alone():
    ((features, targets),) = batches(generator_input_fn(rows, ["size", "price"], 2, shuffle=False), 1)
    assert sorted(features) == ["pair"]
    assert sorted(targets) == ["price", "size"]
    (features,) = batches(generator_input_fn(rows, batch_size=2, shuffle=False), 1)
    assert sorted(features) == ["pair", "price", "size"]
    ((_, price),) = batches(generator_input_fn(rows, ("price",), 2, shuffle=False), 1)
    np.testing.assert_array_equal(price, [[0], [-1]])


def test_rows_of_one_column_of_several_lengths_are_filled():
    def growing():
        for i in range(4):
            yield {"words": np.full(1 + i % 2, i)}

    (first,) = batches(generator_input_fn(growing, batch_size=2, shuffle=False, pad_value=-7), 1)
    np.testing.assert_array_equal(first["words"], [[0, -7], [1, 1]])


def test_what_is_no_generator_of_dicts_is_refused():
    def arrays():
        yield np.arange(3)

    with pytest.raises(TypeError, match="x must be generator function; got ndarray"):
        generator_input_fn(np.arange(3))
    with pytest.raises(TypeError, match=r"x\(\) must be generator; got list"):
        generator_input_fn(lambda: [1, 2])
    with pytest.raises(TypeError, match=r"x\(\) must yield dict; got ndarray"):
        generator_input_fn(arrays)
    with pytest.raises(TypeError, match="target_key must be str or Container of str; got int"):
        generator_input_fn(rows, 3)
    with pytest.raises(TypeError, match="target_key must be str or Container of str; got int"):
        generator_input_fn(rows, ["price", 3])
    with pytest.raises(KeyError, match="target_key not in yielded dict"):
        generator_input_fn(rows, ["price", "colour"])


def test_rows_have_no_numbers_and_a_batch_counts_values():
    places = [tf.placeholder(tf.float64) for _ in range(3)]
    feed = GeneratorFeedFn(places, rows, batch_size=7, num_epochs=1)
    assert [row[0] for row in feed()[places[2]]] == [0, 1, 2]
    # The second begins before the end is seen, and is filled up from the start.
    assert [row[0] for row in feed()[places[2]]] == [0, 1, 2]
    with pytest.raises(tf.errors.OutOfRangeError):
        feed()
    with pytest.raises(ValueError, match="Expected 3 placeholders; got 4"):
        GeneratorFeedFn([*places, places[0]], rows, batch_size=2)
    queue = enqueue_data(rows, capacity=5)
    assert [dtype.name for dtype in queue.dtypes] == ["float64", "float64", "int64"]
    assert [shape.as_list() for shape in queue.shapes] == [[2], [1], [1]]


def test_signatures_of_tensors():
    lines = tf.placeholder(tf.int32, [3, None])
    points = tf.placeholder(tf.float32, [None, 4])
    words = tf.sparse_placeholder(tf.float32)
    known = create_signatures({"lines": lines, "points": points})
    assert known["lines"] == TensorSignature(lines)
    assert create_signatures(None) is None
    assert create_signatures(words) == (tf.float32, None, True)
    assert tensors_compatible({"lines": tf.zeros([3, 1], tf.int32), "points": points, "more": words}, known)
    assert not tensors_compatible({"lines": lines}, known)
    assert not tensors_compatible({"lines": points, "points": points}, known)
    assert not tensors_compatible(lines, known)
    assert not tensors_compatible(words, create_signatures(points))
    assert tensors_compatible(None, None)
    assert create_placeholders_from_signatures(known)["points"].shape.as_list() == [None, 4]
    example = tf.train.Example()
    example.features.feature["points"].float_list.value.extend([1.0, 2.0, 3.0, 4.0])
    example.features.feature["words"].float_list.value.extend([5.0])
    read = create_example_parser_from_signatures(
        create_signatures({"points": points, "words": words}), tf.constant([example.SerializeToString()])
    )
    with tf.Session() as sess:
        found = sess.run(read)
    np.testing.assert_array_equal(found["points"], [[1, 2, 3, 4]])
    np.testing.assert_array_equal(found["words"].values, [5])
