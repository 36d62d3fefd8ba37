"""Paths that are no UTF-8 lead to files wherever they are given as bytes."""

import os

import pytest
from dataset_elements import elements

import headrace as tf

NAME = b"caf\xe9"  # in Latin-1


@pytest.fixture
def folder(tmp_path):
    path = os.fsencode(tmp_path)
    try:
        open(os.path.join(path, NAME), "wb").close()
    except OSError:
        pytest.skip("this file system takes texts only")
    return path


# What TensorFlow 1.15.5 reads from such files.
@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        (tf.data.TextLineDataset, [b"ab", b"cd"]),
        (lambda path: tf.data.TextLineDataset([path]), [b"ab", b"cd"]),
        (lambda path: tf.data.FixedLengthRecordDataset(path, 3), [b"ab\n", b"cd\n"]),
        (lambda path: tf.data.experimental.CsvDataset(path, [tf.string]), [(b"ab",), (b"cd",)]),
    ],
)
def test_datasets_read_files(folder, dataset, expected):
    path = os.path.join(folder, NAME)
    with tf.gfile.GFile(path, "wb") as file:
        file.write(b"ab\ncd\n")
    assert elements(lambda: dataset(path)) == expected


def test_records_and_names(folder):
    path = os.path.join(folder, NAME)
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b"record")
    assert elements(lambda: tf.data.TFRecordDataset(path)) == [b"record"]
    assert elements(lambda: tf.data.Dataset.list_files(os.path.join(folder, b"c*"))) == [path]


def test_tables_are_filled_from_files(folder):
    path = os.path.join(folder, NAME)
    with tf.gfile.GFile(path, "w") as file:
        file.write("one\ntwo\n")
    with tf.Graph().as_default(), tf.Session() as session:
        table = tf.contrib.lookup.index_table_from_file(path)
        session.run(tf.tables_initializer())
        assert session.run(table.lookup(tf.constant(["two", "one"]))).tolist() == [1, 0]


def test_checkpoints(folder):
    path = os.path.join(folder, NAME)
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable([1.0, 2.0])
        saver = tf.train.Saver()
        session.run(variable.initializer)
        saved = saver.save(session, path, write_meta_graph=False, write_state=False)
        assert os.fsencode(saved) == path
        session.run(variable.assign([0.0, 0.0]))
        saver.restore(session, path)
        assert session.run(variable).tolist() == [1.0, 2.0]
    assert tf.train.list_variables(path) == [("Variable", [2])]
