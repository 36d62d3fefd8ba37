"""Tables without words, and dense tables in checkpoints of objects."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}


def refused(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            make()
            sess.run(tf.tables_initializer())
        except (ValueError, tf.errors.OpError) as error:
            return type(error).__name__, str(error).split("\n")[0].split("(op")[0]
        return "none"


nothing = np.array([], np.str_)
results["no words"] = [
    refused(lambda: tf.contrib.lookup.index_table_from_tensor(nothing)),
    refused(lambda: tf.contrib.lookup.index_to_string_table_from_tensor(nothing)),
]
results["no size"] = refused(lambda: tf.contrib.lookup.index_table_from_file("words.txt", vocab_size=0))
results["no size of a tensor"] = (
    "words.txt" in refused(lambda: tf.contrib.lookup.index_table_from_file(tf.constant("words.txt"), vocab_size=0))[1]
)

folder = tempfile.mkdtemp()


def dense(buckets):
    return tf.contrib.lookup.MutableDenseHashTable(
        tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1, checkpoint=True, initial_num_buckets=buckets
    )


table = dense(32)
table.insert(tf.constant([11, 12], tf.int64), tf.constant([1, 2], tf.int64))
path = tf.train.Checkpoint(table=table).save(os.path.join(folder, "ckpt"))
other = dense(64)
other.insert(tf.constant([11, 14], tf.int64), tf.constant([8, 9], tf.int64))
tf.train.Checkpoint(table=other).restore(path).assert_consumed()
results["restored"] = [
    other.lookup(tf.constant([11, 12, 14], tf.int64)).numpy(),
    other.size().numpy(),
    len(other.export()[0].numpy()),
]
