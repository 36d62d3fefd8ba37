"""Readers of `tf.contrib.data`: what is made of them may be used in other graphs, what others make may not."""

import pytest

import headrace as tf


def lengths(path, readers):
    return readers.TextLineDataset(str(path)).map(tf.strings.length).filter(lambda count: count > 1)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "lines").write_text("a\nbb\nccc\ndddd\n")
    return tmp_path / "lines"


def test_datasets_of_a_programs_start(path):
    made = lengths(path, tf.contrib.data)
    assert isinstance(made, tf.data.Dataset)
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session() as session:
            iterator = tf.data.Dataset.zip((made.skip(1), made.batch(2))).make_initializable_iterator()
            item = iterator.get_next()
            session.run(iterator.initializer)
            count, pair = session.run(item)
            assert (count, pair.tolist()) == (3, [2, 3])


def test_records_in_functions_of_other_graphs(tmp_path):
    with tf.python_io.TFRecordWriter(str(tmp_path / "records")) as writer:
        for record in (b"one", b"two"):
            writer.write(record)
    records = tf.contrib.data.TFRecordDataset(str(tmp_path / "records"))
    fixed = tf.contrib.data.FixedLengthRecordDataset(str(tmp_path / "records"), 19)
    with tf.Graph().as_default(), tf.Session() as session:
        joined = tf.data.Dataset.range(2).flat_map(lambda i: records.skip(i)).make_one_shot_iterator().get_next()
        assert [session.run(joined) for _ in range(3)] == [b"one", b"two", b"two"]
        assert len(session.run(fixed.make_one_shot_iterator().get_next())) == 19


def test_readers_of_tf_data_are_of_their_graph(path):
    made = lengths(path, tf.data)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="same graph"):
        made.skip(1)


def test_what_a_graph_owns_is_not_copied(path):
    chosen = tf.contrib.data.TextLineDataset(tf.placeholder(tf.string, []))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="same graph"):
        chosen.skip(1)
