"""Dense hash tables export all their places: which key lies where, what removing leaves, growth, checkpoints."""

import os
import tempfile

import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()


def exported(name, key_type, value_type, keys, values, empty, deleted, default, removed=(), buckets=8):
    arguments = dict(empty_key=empty, deleted_key=deleted, initial_num_buckets=buckets, checkpoint=True, name=name)
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.contrib.lookup.MutableDenseHashTable(key_type, value_type, default, **arguments)
        sess.run(table.insert(tf.constant(keys, key_type), tf.constant(values, value_type)))
        if removed:
            sess.run(table.remove(tf.constant(removed, key_type)))
        results[name + " exported"] = sess.run(table.export())
        path = tf.train.Saver().save(sess, os.path.join(folder, name))
    reader = tf.train.NewCheckpointReader(path)
    results[name + " saved"] = {key: reader.get_tensor(key) for key in sorted(reader.get_variable_to_shape_map())}
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.contrib.lookup.MutableDenseHashTable(key_type, value_type, default, **arguments)
        saver = tf.train.Saver()
        saver.restore(sess, path)
        results[name + " found"] = sess.run(table.lookup(tf.constant(keys, key_type)))
        results[name + " size"] = sess.run(table.size())
        sess.run(table.insert(tf.constant(keys[:3], key_type), tf.constant(values[:3], value_type)))
        results[name + " restored"] = sess.run(table.export())


exported("numbers", tf.int64, tf.int64, [11, 12, 13, 131083, -5], [1, 2, 3, 4, 5], 0, -1, -7)
exported("grown", tf.int64, tf.float32, list(range(1, 41)), [0.5 * i for i in range(40)], 0, -1, -7.0, buckets=4)
exported("freed", tf.int64, tf.float32, list(range(5, 25)), [0.5 * i for i in range(20)], 0, -1, -7.0, [9, 10])
exported("small", tf.int32, tf.float32, [7, 15, 23], [1.0, 2.0, 3.0], 0, -1, -7.0, [15])
words = ["a", "bb", "ccc", "", "words of more than eight bytes", "\u00e9t\u00e9"]
exported("words", tf.string, tf.int64, words, list(range(1, 7)), "EMPTY", "DELETED", -7, ["ccc"], 16)
exported(
    "rows",
    tf.int64,
    tf.int64,
    [[1, 2], [3, 4], [5, 6], [-9, 1 << 40]],
    [[i, i] for i in range(4)],
    [0, 0],
    [-1, -1],
    [9, 9],
)
