"""Datasets of files: lines, records, comma-separated values, databases, parsed Examples, caches; and their errors."""

import os
import sqlite3
import tempfile

import numpy as np
import tensorflow as tf

results = {}
D = tf.data.Dataset
E = tf.data.experimental
folder = tempfile.mkdtemp()


def path(name):
    return os.path.join(folder, name)


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, tf.SparseTensorValue):
        return ["sparse", value.indices.tolist(), plain(value.values), value.dense_shape.tolist()]
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    value = np.asarray(value)
    if value.dtype.kind in "OS":
        return [v.decode().replace(folder, "") for v in value.reshape(-1).tolist()] + [list(value.shape)]
    return value.tolist()


def show(name, make, limit=40):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        try:
            dataset = make()
        except (ValueError, TypeError) as error:
            results[name] = type(error).__name__
            return
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
        fetch = iterator.get_next()
        found = []
        with tf.Session(graph=graph) as sess:
            failures = 0
            try:
                sess.run(iterator.initializer)
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
                failures = 9
            while len(found) < limit and failures < 2:
                try:
                    found.append(plain(sess.run(fetch)))
                except tf.errors.OpError as error:
                    found.append(type(error).__name__)
                    failures += 2 if isinstance(error, tf.errors.OutOfRangeError) else 1
        types = str(tf.compat.v1.data.get_output_types(dataset))
        results[name] = [types, str(tf.compat.v1.data.get_output_shapes(dataset)), found]


with open(path("a.txt"), "wb") as f:
    f.write(b"one\ntwo\r\n\nfour")
with open(path("b.txt"), "wb") as f:
    f.write(b"five\n")
for name, kind in (("r.tfrecord", ""), ("r.gz", "GZIP"), ("r.z", "ZLIB")):
    options = tf.python_io.TFRecordOptions({"": 0, "ZLIB": 1, "GZIP": 2}[kind])
    with tf.python_io.TFRecordWriter(path(name), options) as writer:
        for i in range(4):
            example = tf.train.Example()
            example.features.feature["x"].int64_list.value.append(i)
            example.features.feature["w"].bytes_list.value.extend([b"w"] * i)
            writer.write(example.SerializeToString() if kind == "" else b"%s-%d" % (kind.encode(), i))
with open(path("r.tfrecord"), "rb") as f:
    whole = f.read()
with open(path("short.tfrecord"), "wb") as f:
    f.write(whole[:-3])
with open(path("fixed.bin"), "wb") as f:
    f.write(b"HH" + b"abcdefghi" + b"F")
with open(path("t.csv"), "w") as f:
    f.write('name,age,score\n"x, y",3,1.5\nbob,,2.5\n"q ""z""",7,\n')
with open(path("bad.csv"), "w") as f:
    f.write("1,2\n3\n4,x\n5,6\n")
with sqlite3.connect(path("d.sqlite")) as database:
    database.execute("create table t (id integer, name text, v real)")
    database.executemany("insert into t values (?, ?, ?)", [(1, "a", 0.5), (2, "b", 1.5), (3, None, 2.5)])

show("lines", lambda: tf.data.TextLineDataset([path("a.txt"), path("b.txt")]))
show("lines_missing", lambda: tf.data.TextLineDataset([path("none.txt"), path("b.txt")]))
show(
    "lines_of_dataset",
    lambda: tf.data.TextLineDataset(D.from_tensor_slices([path("b.txt"), path("a.txt")]), num_parallel_reads=2),
)
show("lines_compression", lambda: tf.data.TextLineDataset(path("a.txt"), "SEVEN"))
show(
    "lines_skip",
    lambda: D.from_tensor_slices([path("a.txt"), path("b.txt")]).flat_map(
        lambda name: tf.data.TextLineDataset(name).skip(1).filter(lambda line: tf.not_equal(line, ""))
    ),
)
show("records_gzip", lambda: tf.data.TFRecordDataset(path("r.gz"), "GZIP"))
show("records_zlib", lambda: tf.data.TFRecordDataset(path("r.z"), compression_type="ZLIB", buffer_size=10))
show("records_short", lambda: tf.data.TFRecordDataset(path("short.tfrecord")).map(tf.size))
show("fixed", lambda: tf.data.FixedLengthRecordDataset(path("fixed.bin"), 3, header_bytes=2, footer_bytes=1))
show("fixed_excess", lambda: tf.data.FixedLengthRecordDataset(path("fixed.bin"), 4, header_bytes=2, footer_bytes=1))
show("list_files", lambda: D.list_files(path("*.txt"), shuffle=False))
show("list_files_shuffled", lambda: D.list_files([path("*.txt"), path("r*")], seed=4))
show("list_files_none", lambda: D.list_files(path("nothing*")))
features = {"x": tf.FixedLenFeature([], tf.int64), "w": tf.VarLenFeature(tf.string)}
show("parsed", lambda: tf.data.TFRecordDataset(path("r.tfrecord")).map(lambda r: tf.parse_single_example(r, features)))
show(
    "parsed_batch",
    lambda: tf.data.TFRecordDataset(path("r.tfrecord")).batch(3).apply(E.parse_example_dataset(features)),
)
show(
    "batched_features",
    lambda: E.make_batched_features_dataset(
        path("r.tfrecord"), 2, features, label_key="x", num_epochs=1, shuffle=False
    ),
)
show(
    "csv",
    lambda: E.CsvDataset(path("t.csv"), [tf.string, tf.constant([-1], tf.int32), tf.constant([0.5])], header=True),
)
show("csv_selected", lambda: E.CsvDataset(path("t.csv"), [tf.constant([9], tf.int64)], header=True, select_cols=[1]))
show("csv_bad", lambda: E.CsvDataset(path("bad.csv"), [tf.int32, tf.int32]))
show("csv_ignored", lambda: E.CsvDataset(path("bad.csv"), [tf.int32, tf.int32]).apply(E.ignore_errors()))
show("make_csv", lambda: E.make_csv_dataset(path("t.csv"), 2, num_epochs=1, shuffle=False))
show(
    "make_csv_label",
    lambda: E.make_csv_dataset(
        path("t.csv"), 3, num_epochs=1, shuffle=False, label_name="score", select_columns=["age", "score"]
    ),
)
show("make_csv_wrong", lambda: E.make_csv_dataset(path("t.csv"), 2, select_columns=["nothing"]))
show(
    "sql",
    lambda: E.SqlDataset(
        "sqlite", path("d.sqlite"), "select id, name, v from t order by id", (tf.int32, tf.string, tf.float64)
    ),
)
show("cache_file", lambda: D.range(4).cache(path("cache")).repeat(2))

with tf.Graph().as_default():
    write = E.TFRecordWriter(path("written")).write(D.from_tensor_slices(["a", "b"]).map(lambda s: s + "!"))
    with tf.Session() as sess:
        sess.run(write)
results["written"] = [r.decode() for r in tf.python_io.tf_record_iterator(path("written"))]

# Saving where an iterator is, and going on there.
with tf.Graph().as_default():
    iterator = D.range(20).shuffle(5, seed=2).make_initializable_iterator()
    value = iterator.get_next()
    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, E.make_saveable_from_iterator(iterator))
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        before = [int(sess.run(value)) for _ in range(4)]
        saver.save(sess, path("model"))
        after = [int(sess.run(value)) for _ in range(4)]
        saver.restore(sess, path("model"))
        results["restored"] = before, len(after)
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        saver.restore(sess, path("model"))
        results["restored_anew"] = after == [int(sess.run(value)) for _ in range(4)]

# Random operations in functions keep their streams between elements.
with tf.Graph().as_default():
    tf.set_random_seed(5)
    dataset = D.range(4).map(lambda x: (x, tf.random_uniform([], seed=3)))
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()
    one = dataset.repeat(2).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        results["random"] = [float(sess.run(value)[1]) for _ in range(4)]
        sess.run(iterator.initializer)
        results["random_again"] = [float(sess.run(value)[1]) for _ in range(4)]
        results["random_repeated"] = [float(sess.run(one)[1]) for _ in range(8)]
