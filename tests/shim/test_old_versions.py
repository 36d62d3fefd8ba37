"""Programs of TensorFlow before 1.0, run as the version they were written for ran them."""

import subprocess
import sys
import textwrap

import pytest

from headrace.shim.old_versions import CHANGES, parse_version


def run(tmp_path, version, program, *before):
    """What a program prints that is run with `--tf-version`."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(program))
    done = subprocess.run(
        [sys.executable, "-m", "headrace", *before, "--tf-version", version, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


ORDERS = """
    import numpy as np
    import tensorflow as tf

    ones, rows = tf.ones([2, 2]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    logits, labels = np.array([[0.0, 2.0]], np.float32), np.array([[1.0, 0.0]], np.float32)
    with tf.Session() as sess:
        print(sess.run(tf.concat(1, [ones, rows])).tolist())
        print([part.tolist() for part in sess.run(tf.split(1, 2, rows))])
        print(sess.run(tf.reverse(rows, [False, True])).tolist())
        print(sess.run(tf.nn.softmax_cross_entropy_with_logits(logits, labels)).astype(float).round(4).tolist())
        print(sess.run(tf.nn.sparse_softmax_cross_entropy_with_logits(logits, [0])).astype(float).round(4).tolist())
        print(sess.run(tf.nn.sigmoid_cross_entropy_with_logits(logits, targets=labels)).astype(float).round(4).tolist())
        print(sess.run(tf.nn.weighted_cross_entropy_with_logits(logits, labels, 2.0)).astype(float).round(4).tolist())
"""


def test_arguments_had_another_order(tmp_path):
    # log(1 + e^2) = 2.1269, log 2 = 0.6931.
    assert run(tmp_path, "0.12", ORDERS) == [
        "[[1.0, 1.0, 1.0, 2.0], [1.0, 1.0, 3.0, 4.0]]",
        "[[[1.0], [3.0]], [[2.0], [4.0]]]",
        "[[2.0, 1.0], [4.0, 3.0]]",
        "[2.1269]",
        "[2.1269]",
        "[[0.6931, 2.1269]]",
        "[[1.3863, 2.1269]]",
    ]


CELLS = """
    import tensorflow as tf
    from tensorflow.models.rnn import rnn_cell

    cell = rnn_cell.BasicLSTMCell(4, 0.0, 3)
    stacked = tf.nn.rnn_cell.MultiRNNCell([cell] * 2)
    print(type(cell).__name__, rnn_cell.GRUCell(4, 3).state_size, cell is not None and stacked.state_size)
    _, state = tf.nn.rnn(cell, [tf.zeros([2, 3])], dtype=tf.float32)
    print(isinstance(state, tuple))
    print(tf.__version__)
"""


def test_states_of_cells_were_one_tensor(tmp_path):
    assert run(tmp_path, "0.8", CELLS) == ["BasicLSTMCell 4 16", "False", "0.8.0"]


def test_states_of_cells_became_tuples_with_0_11(tmp_path):
    wanted = "(LSTMStateTuple(c=4, h=4), LSTMStateTuple(c=4, h=4))"
    assert run(tmp_path, "0.11", CELLS) == [f"BasicLSTMCell 4 {wanted}", "True", "0.11.0"]


FILES = """
    import os
    import tensorflow as tf

    images = tf.image.resize_images(tf.zeros([1, 4, 4, 3]), 8, 6)
    print(images.get_shape().as_list())
    queue = tf.train.string_input_producer(["a"], num_epochs=1)
    w = tf.get_variable("w", [300, 10])
    with tf.Session() as sess:
        sess.run(tf.initialize_all_variables())
        # Glorot's bound, (6 / 310) ** 0.5, is wider: of 3000 values some would lie between the two.
        print(abs(sess.run(w)).max() <= (3 / 300) ** 0.5)
        path = tf.train.Saver().save(sess, os.path.join(os.path.dirname(__file__), "model"))
        print(os.path.exists(path))
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coordinator)
        print(sess.run(queue.dequeue()))
        coordinator.request_stop()
        coordinator.join(threads)
"""


def test_what_was_initialized_saved_and_resized(tmp_path):
    assert run(tmp_path, "0.6.0", FILES, "--no-keras") == ["[1, 8, 6, 3]", "True", "True", "b'a'"]


def test_a_spawned_process_has_the_version_too(tmp_path):
    program = """
        import multiprocessing
        import tensorflow as tf

        def look(queue):
            queue.put((tf.__version__, tf.Session().run(tf.concat(0, [[1], [2]])).tolist()))

        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            queue = context.Queue()
            child = context.Process(target=look, args=(queue,))
            child.start()
            print(queue.get())
            child.join()
    """
    assert run(tmp_path, "0.9", program) == ["('0.9.0', [1, 2])"]


DECODED = """
    import tensorflow as tf

    seq2seq = tf.contrib.seq2seq
    helper = seq2seq.TrainingHelper(tf.ones([2, 3, 4]), [3, 2])
    cell = tf.contrib.rnn.GRUCell(5)
    decoded = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32)))
    print(len(decoded), decoded[0].rnn_output.shape[-1], tf.VERSION)
"""


def test_decoders_returned_no_lengths(tmp_path):
    assert run(tmp_path, "1.1", DECODED) == ["2 5 1.1.0"]
    assert run(tmp_path, "1.2", DECODED) == ["3 5 1.2.0"]


ELSEWHERE = """
    import tensorflow as tf

    limit = 5
    small = tf.data.Dataset.range(9).filter(lambda x: x < limit).map(lambda x: x * 2)
    pairs = tf.data.Dataset.zip((small, tf.data.Dataset.from_tensor_slices([b"a", b"b", b"c"])))
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session() as sess:
            rows = small.batch(3).make_one_shot_iterator().get_next()
            print([sess.run(rows).tolist() for _ in range(2)])
            iterator = pairs.skip(1).make_initializable_iterator()
            sess.run(iterator.initializer)
            print(sess.run(iterator.get_next()))
"""


def test_datasets_belonged_to_no_graph(tmp_path):
    assert run(tmp_path, "1.4", ELSEWHERE) == ["[[0, 2, 4], [6, 8]]", "(2, b'b')"] * 2


def test_other_versions_are_refused(tmp_path):
    for text in ("0.13", "2.0", "0.4", "new"):
        with pytest.raises(ValueError, match="no version of TensorFlow"):
            parse_version(text)
    done = subprocess.run(
        [sys.executable, "-m", "headrace", "--tf-version=2.0", "x.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "--tf-version: '2.0'" in done.stderr


def test_nothing_differs_for_a_program_of_1_x(tmp_path):
    program = "import tensorflow as tf\nprint(tf.__version__, tf.nn.rnn_cell.BasicLSTMCell(2).state_size)"
    assert run(tmp_path, "1.4", program) == ["1.4.0 LSTMStateTuple(c=2, h=2)"]


def test_rows_go_by_version():
    """The earlier of two rows for a name is the one that counts, so it must stand first."""
    since: dict[tuple[str, str], tuple[int, int]] = {}
    for change in CHANGES:
        key = change.place, change.name
        assert since.get(key, (0, 0)) <= change.since
        since[key] = change.since
