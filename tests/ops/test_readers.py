"""Readers of files that are not as they should be."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import headrace as tf
from headrace.files.lmdb import lmdb_pairs


@pytest.fixture
def read(tmp_path):
    """Reads a file to its end: the values, or the error with the values before it."""

    def run(reader, contents, decode=lambda value: value):
        path = tmp_path / "file"
        if contents is not None:
            path.write_bytes(contents)
        values = []
        with tf.Graph().as_default(), tf.Session() as sess:
            queue = tf.train.string_input_producer([str(path)], num_epochs=1)
            _, value = reader().read(queue)
            value = decode(value)
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            try:
                while True:
                    values.append(sess.run(value))
            except tf.errors.OutOfRangeError:
                return values, None
            except tf.errors.OpError as error:
                return values, error
            finally:
                coord.request_stop()
                coord.join(threads)

    return run


@pytest.fixture
def records(tmp_path):
    path = str(tmp_path / "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for record in (b"first", b"second", b"third"):
            writer.write(record)
    with open(path, "rb") as file:
        return file.read()


# A record is its length (8 bytes) and data with a checksum (4 bytes) behind each.
@pytest.mark.parametrize(
    ("change", "values", "said"),
    [
        (lambda data: data[:21] + b"X" + data[22:], 1, "corrupted record at 21"),
        (lambda data: data[:35] + b"X" + data[36:], 1, "corrupted record at 33"),
        (lambda data: data[:40], 1, "truncated record at 21"),
        (lambda data: data[:-1], 2, "truncated record at 43"),
    ],
)
def test_corrupt_records(read, records, tmp_path, change, values, said):
    got, error = read(tf.TFRecordReader, change(records))
    assert got == [b"first", b"second"][:values]
    assert isinstance(error, tf.errors.DataLossError)
    assert said in error.message
    assert str(tmp_path / "file") in error.message


@pytest.mark.parametrize(
    "reader", [tf.TextLineReader, tf.TFRecordReader, tf.WholeFileReader, lambda: tf.FixedLengthRecordReader(4)]
)
def test_missing_files(read, tmp_path, reader):
    got, error = read(reader, None)
    assert got == []
    assert isinstance(error, tf.errors.NotFoundError)
    assert str(tmp_path / "file") in error.message


@pytest.mark.parametrize(
    ("lines", "values", "said"),
    [
        (b"1,2\n3\n", 1, "Expect 2 fields but have 1 in record 0"),
        (b"1,2\n3,4,5\n", 1, "Expect 2 fields but have 3 in record 0"),
        (b"1,2\n3,x\n", 1, "Field 1 in record 0 is not a valid int32: x"),
        (b",2\n", 0, "Field 0 is required but missing in record 0"),
        (b"1,99999999999\n", 0, "Field 1 in record 0 is not a valid int32: 99999999999"),
        (b'1,"2\n', 0, "Quoted field has to end with quote"),
    ],
)
def test_ragged_lines(read, lines, values, said):
    got, error = read(
        tf.TextLineReader, lines, lambda line: tf.decode_csv(line, [tf.constant([], tf.int32), tf.constant([7])])
    )
    assert got == [[1, 2]] * values
    assert isinstance(error, tf.errors.InvalidArgumentError)
    assert said in error.message


LINES = [
    "1,2.5,a",
    " 1 , 2.5 ,a",
    "-5,1e3,b",
    "1,,",
    ",NA,x",
    '3,"4.5","q"',
    "7,1e39,y",
    "7,1e-42,y",
    "7,inf,y",
    "7,0x10,y",
    "8,-0,NA",
    "2147483647,.5,z",
]


@pytest.mark.parametrize("na_value", ["", "NA"])
def test_a_line_alone_is_read_as_among_others(na_value):
    """One line takes a way of its own."""
    defaults = [tf.constant([9]), tf.constant([-1.0]), tf.constant(["none"])]
    good = [line for line in LINES if na_value == "NA" or not line.startswith((",NA", "8,-0,NA")) or "NA" not in line]
    with tf.Session() as sess:
        lines, line = tf.placeholder(tf.string, [None]), tf.placeholder(tf.string, [])
        many = tf.decode_csv(lines, defaults, na_value=na_value)
        one = tf.decode_csv(line, defaults, na_value=na_value)
        columns = sess.run(many, {lines: good})
        for i, text in enumerate(good):
            got = sess.run(one, {line: text})
            assert [repr(value) for value in got] == [repr(column[i]) for column in columns]


def test_lmdb(tmp_path, read):
    lmdb = pytest.importorskip("lmdb")
    path = tmp_path / "database"
    with lmdb.open(str(path)) as database, database.begin(write=True) as transaction:
        for i in (2, 0, 1):
            transaction.put(b"key%d" % i, b"value%d" % i)
    with tf.Graph().as_default(), tf.Session() as sess:
        queue = tf.train.string_input_producer([str(path)], num_epochs=1)
        pair = tf.LMDBReader().read(queue)
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        assert [sess.run(pair) for _ in range(3)] == [(b"key%d" % i, b"value%d" % i) for i in range(3)]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(pair)
        coord.request_stop()
        coord.join(threads)
    values, error = read(tf.LMDBReader, b"this is no database")
    assert values == []
    assert isinstance(error, tf.errors.InvalidArgumentError)


def lmdb_file(folder, pairs, **how):
    lmdb = pytest.importorskip("lmdb")
    with lmdb.open(str(folder), map_size=1 << 26) as database:
        for part in (pairs[::2], pairs[1::2]):
            with database.begin(write=True) as transaction:
                for key, value in part:
                    transaction.put(key, value)
    return folder / "data.mdb"


@pytest.mark.parametrize(("count", "longest"), [(0, 1), (1, 10), (300, 100), (3000, 20), (60, 9000)])
def test_lmdb_databases_of_many_shapes(tmp_path, count, longest):
    random = np.random.default_rng(count)
    pairs = {random.bytes(random.integers(1, 200)): random.bytes(random.integers(0, longest)) for _ in range(count)}
    file = lmdb_file(tmp_path, list(pairs.items()))
    for path in (tmp_path, file):
        assert list(lmdb_pairs(str(path))) == sorted(pairs.items())


def test_damaged_lmdb_databases_are_told_not_followed(tmp_path):
    random = np.random.default_rng(0)
    file = lmdb_file(tmp_path, [(b"%05d" % i, random.bytes(i * 20 % 5000)) for i in range(300)])
    whole = file.read_bytes()
    outcomes = set()
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(random.integers(1, 20)):
            # Most of the numbers are at the beginnings of pages.
            page = random.integers(len(data) // 4096) * 4096
            data[page + random.integers(*((64,), (4096,))[random.integers(2)])] = random.integers(256)
        file.write_bytes(data[: random.integers(len(data)) if random.integers(2) else None])
        try:
            total = sum(len(value) for _, value in lmdb_pairs(str(file)))
        except tf.errors.OpError as error:
            assert str(file) in error.message  # noqa: PT017  there may be no error
            outcomes.add(type(error))
        else:
            assert total <= 2 * len(whole)
    assert tf.errors.DataLossError in outcomes


def test_an_lmdb_tree_that_goes_round_in_circles(tmp_path):
    file = lmdb_file(tmp_path, [(b"%05d" % i, b"x" * 50) for i in range(2000)])
    data = bytearray(file.read_bytes())
    for at in range(0, len(data), 4096):
        number, _, flags, end = struct.unpack_from("<QHHH", data, at)
        for place in range(16, end, 2) if flags == 1 else ():
            (node,) = struct.unpack_from("<H", data, at + place)
            struct.pack_into("<HHH", data, at + node, number & 0xFFFF, number >> 16, 0)
    file.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match="damaged at page"):
        list(lmdb_pairs(str(file)))
