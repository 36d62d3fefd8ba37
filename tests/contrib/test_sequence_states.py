"""Segments of sequences to their end, where TensorFlow may wait without end."""

from __future__ import annotations

import pytest

import headrace as tf


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("batch_size", [1, 2, 4])
def test_every_segment_comes_once_and_after_the_one_before(threads, batch_size):
    with tf.Graph().as_default():
        number = tf.train.range_input_producer(5, num_epochs=2, seed=1).dequeue()
        batch = tf.contrib.training.batch_sequences_with_states(
            input_key="key",
            input_sequences={"steps": tf.fill([2 * number + 1], number)},
            input_context={"number": number},
            input_length=None,
            initial_states={"seen": tf.constant(0)},
            num_unroll=3,
            batch_size=batch_size,
            num_threads=threads,
            capacity=4,
            make_keys_unique=True,
            make_keys_unique_seed=3,
        )
        seen = batch.state("seen")
        save = batch.save_state("seen", seen + batch.length)
        segments = []
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            runners = tf.train.start_queue_runners(sess, coord)
            try:
                while not coord.should_stop():
                    got = sess.run([batch.context["number"], batch.sequence, batch.length, seen, save])
                    segments += zip(*[part.tolist() for part in got[:4]])
            except tf.errors.OutOfRangeError:
                pass
            coord.request_stop()
            coord.join(runners)
    expected = [
        (n, i, min(3, 2 * n + 1 - 3 * i), 3 * i) for n in range(5) for i in range((2 * n + 3) // 3) for _ in range(2)
    ]
    assert sorted(segments) == sorted(expected)


def test_segments_of_sparse_sequences_have_a_known_rank():
    with tf.Graph().as_default():
        batch = tf.contrib.training.batch_sequences_with_states(
            input_key="key",
            input_sequences={"words": tf.SparseTensor([[0, 0], [3, 1]], ["a", "b"], [4, 2])},
            input_context={},
            input_length=None,
            initial_states={"seen": tf.constant(0)},
            num_unroll=2,
            batch_size=2,
        )
        assert batch.sequences["words"].dense_shape.shape.as_list() == [3]
        assert batch.sequences["words"].shape[1:].as_list() == [2, None]
