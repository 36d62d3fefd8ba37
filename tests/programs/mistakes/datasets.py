"""What tf.data says of arguments and files that are wrong: the class of the error and how it begins."""

import os
import sqlite3
import tempfile

import numpy as np
import tensorflow as tf

results = {}
Dataset = tf.data.Dataset
experimental = tf.data.experimental
folder = tempfile.mkdtemp()


def attempt(name, make, phrase=""):
    """Records what making and draining a dataset ends with; of the message whether it has the phrase."""
    with tf.Graph().as_default():
        try:
            made = make()
            value = tf.compat.v1.data.make_initializable_iterator(made)
            following = value.get_next()
            with tf.Session() as sess:
                sess.run(value.initializer)
                while True:
                    sess.run(following)
        except tf.errors.OutOfRangeError:
            results[name] = "end"
        except Exception as error:
            results[name] = [type(error).__name__, phrase in str(error)]


def path(name, content):
    full = os.path.join(folder, name)
    with open(full, "wb") as file:
        file.write(content)
    return full


rows = tf.SparseTensorValue(np.array([[2, 0], [1, 0]]), np.array([1, 2]), np.array([3, 1]))
attempt(
    "rows out of order",
    lambda: Dataset.from_sparse_tensor_slices(tf.SparseTensor(*rows)),
    "must be ordered in the batch dimension",
)
attempt("concatenate a number", lambda: Dataset.range(2).concatenate(5), "must be a Dataset or Iterator object")
attempt("batch of a vector", lambda: Dataset.range(3).batch([1, 2]), "Shape must be rank 0 but is rank 1")
attempt("enumerate from a vector", lambda: Dataset.range(3).enumerate([1]), "Shape must be rank 0 but is rank 1")
attempt("take a vector", lambda: Dataset.range(3).take([1]), "Shape must be rank 0 but is rank 1")
attempt("shuffle a vector", lambda: Dataset.range(3).shuffle([1]), "Shape must be rank 0 but is rank 1")
attempt("repeat a vector", lambda: Dataset.range(3).repeat([1]), "Shape must be rank 0 but is rank 1")
attempt("skip a vector", lambda: Dataset.range(3).skip([1]), "Shape must be rank 0 but is rank 1")
attempt("range of vectors", lambda: Dataset.range([3]), "Shape must be rank 0 but is rank 1")
attempt("prefetch a vector", lambda: Dataset.range(3).prefetch([1]), "Shape must be rank 0 but is rank 1")
attempt("window of a vector", lambda: Dataset.range(3).window([1]), "Shape must be rank 0 but is rank 1")
attempt("shards of a vector", lambda: Dataset.range(3).shard([2], 0), "Shape must be rank 0 but is rank 1")
for cycle, block in [(0, 1), (1, 0)]:
    attempt(
        "interleave %d %d" % (cycle, block),
        lambda: Dataset.range(3).apply(experimental.parallel_interleave(lambda _: Dataset.range(2), cycle, block)),
        "must be > 0",
    )

# Files.
short = path("short", b"")
attempt(
    "shorter than header and footer",
    lambda: tf.data.FixedLengthRecordDataset(short, 3, 2, 1),
    "which is not an exact multiple of the record length (3 bytes)",
)
records = path("records", b"abcdef")
attempt(
    "negative buffer",
    lambda: tf.data.FixedLengthRecordDataset(records, 3, buffer_size=-1),
    "`buffer_size` must be >= 0",
)
attempt(
    "lists of names",
    lambda: tf.data.TextLineDataset(Dataset.from_tensors([[records]])),
    "must be a `tf.data.Dataset` of scalar `tf.string` elements",
)
table = path("table.csv", b"a,b\n1,2\n")
attempt(
    "too few defaults",
    lambda: experimental.make_csv_dataset(table, 1, column_defaults=[tf.int32], shuffle=False, num_epochs=1),
    "Expect 1 fields but have more in record",
)

# Databases.
database = os.path.join(folder, "shop.db")
connection = sqlite3.connect(database)
connection.execute("create table items (price integer, name text)")
connection.execute("insert into items values (3, 'nail')")
connection.commit()
connection.close()


def query(text, types, driver="sqlite"):
    return lambda: experimental.SqlDataset(driver, database, text, types)


attempt("all rows", query("select * from items", (tf.int32, tf.string)))
attempt("another driver", query("select 1", (tf.int32,), "mysql"), "The database type, mysql, is not supported")
attempt("no column", query("select size from items", (tf.int32,)), "Prepare() failed: [1] no such column: size")
attempt(
    "too many columns",
    query("select * from items", (tf.int32,)),
    "The number of columns in query (2) must match the number of elements in output_types (1).",
)
attempt("floats", query("select price from items", (tf.float32,)), "Each element of `output_types_` must be one of")

# A closed queue takes nothing more, and nothing is what it is given.
with tf.Graph().as_default():
    queue = tf.FIFOQueue(3, tf.int32, [[]])
    values = tf.placeholder(tf.int32, [None])
    enqueue = queue.enqueue_many([values])
    with tf.Session() as sess:
        sess.run(queue.close())
        results["nothing enqueued"] = str(sess.run(enqueue, {values: []}))
        try:
            sess.run(enqueue, {values: [1]})
        except tf.errors.CancelledError:
            results["enqueued"] = "cancelled"
