"""Lookup tables: values, names of operations, collections, errors; tables that are saved."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
FOLDER = tempfile.mkdtemp()


def written(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w") as file:
        file.write(text)
    return path


VOCABULARY = written("vocab.txt", "apple\nbanana\ncherry\n")
PAIRS = written("pairs.txt", "apple\t10\nbanana\t20\n")
TWICE = written("twice.txt", "a\nb\na\n")
EMPTY = written("empty.txt", "")
lk = tf.contrib.lookup


def outcome(name, make, names=True):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        try:
            made = make()
            found = [
                [[op.name, op.type] for op in graph.get_operations()] if names else [],
                {key: len(graph.get_collection_ref(key)) for key in sorted(graph.get_all_collection_keys())},
            ]
            sess.run(tf.tables_initializer())
            found.append(sess.run(made))
            found.append([str(t.get_shape()) for t in (made if isinstance(made, list) else [made])])
        except tf.errors.OpError as error:
            found = [type(error).__name__, error.message.split("\n")[0].split(" [[")[0].replace(FOLDER, "")]
        except (ValueError, TypeError) as error:
            found = [type(error).__name__]
        results[name] = found


outcome("file", lambda: lk.index_table_from_file(VOCABULARY).lookup(tf.constant(["banana", "zzz", "apple"])))
outcome(
    "file oov",
    lambda: lk.index_table_from_file(VOCABULARY, num_oov_buckets=3).lookup(tf.constant(["banana", "zzz", "apple"])),
)
outcome(
    "file oov strong",
    lambda: lk.index_table_from_file(VOCABULARY, num_oov_buckets=3, hasher_spec=lk.StrongHashSpec([1, 2])).lookup(
        tf.constant(["banana", "zzz", "apple"])
    ),
)
outcome(
    "file size",
    lambda: lk.index_table_from_file(VOCABULARY, num_oov_buckets=1, vocab_size=2).lookup(
        tf.constant(["banana", "zzz", "apple"])
    ),
)
outcome(
    "file size bad",
    lambda: lk.index_table_from_file(VOCABULARY, vocab_size=5).lookup(tf.constant(["banana", "zzz", "apple"])),
)
outcome(
    "file cols",
    lambda: lk.index_table_from_file(PAIRS, key_column_index=0, value_column_index=1, delimiter="\t").lookup(
        tf.constant(["banana", "zzz", "apple"])
    ),
)
outcome("file none", lambda: lk.index_table_from_file(None))
outcome(
    "file missing",
    lambda: lk.index_table_from_file(os.path.join(FOLDER, "nope.txt")).lookup(tf.constant(["banana", "zzz", "apple"])),
    False,
)
outcome("file dup", lambda: lk.index_table_from_file(TWICE).lookup(tf.constant(["banana", "zzz", "apple"])), False)
outcome("file empty", lambda: lk.index_table_from_file(EMPTY).lookup(tf.constant(["banana", "zzz", "apple"])), False)
outcome("file oov neg", lambda: lk.index_table_from_file(VOCABULARY, num_oov_buckets=-1))
outcome("file vs0", lambda: lk.index_table_from_file(VOCABULARY, vocab_size=0))
outcome(
    "file int",
    lambda: lk.index_table_from_file(
        PAIRS, key_dtype=tf.int64, key_column_index=1, value_column_index=lk.TextFileIndex.LINE_NUMBER, delimiter="\t"
    ).lookup(tf.constant([20, 1], tf.int64)),
)
outcome("tensor", lambda: lk.index_table_from_tensor(["a", "b"]).lookup(tf.constant(["b", "c"])))
outcome(
    "tensor oov",
    lambda: lk.index_table_from_tensor(tf.constant(["a", "b"]), num_oov_buckets=2).lookup(tf.constant(["b", "c"])),
)
outcome(
    "tensor int",
    lambda: lk.index_table_from_tensor([10, 20], dtype=tf.int64, num_oov_buckets=2).lookup(
        tf.constant([20, 5], tf.int64)
    ),
)
outcome(
    "tensor int32",
    lambda: lk.index_table_from_tensor(np.array([10, 20], np.int32), dtype=tf.int32).lookup(
        tf.constant([20, 5], tf.int32)
    ),
)
outcome("tensor none", lambda: lk.index_table_from_tensor(None))
outcome("tensor float", lambda: lk.index_table_from_tensor([1.0]))
outcome("tensor dup", lambda: lk.index_table_from_tensor(["a", "a"]).lookup(tf.constant(["a"])), False)
outcome(
    "tostr",
    lambda: lk.index_to_string_table_from_file(VOCABULARY, default_value="?").lookup(tf.constant([0, 5], tf.int64)),
)
outcome("tostr tensor", lambda: lk.index_to_string_table_from_tensor(["a", "b"]).lookup(tf.constant([1, 5], tf.int64)))
outcome("tostr none", lambda: lk.index_to_string_table_from_tensor(None))
outcome(
    "string_to_index",
    lambda: lk.string_to_index(tf.constant(["banana", "zzz", "apple"]), tf.constant(["apple", "banana"])),
)
outcome("index_to_string", lambda: lk.index_to_string(tf.constant([1, 7], tf.int64), tf.constant(["apple", "banana"])))
outcome(
    "string_to_index_table_from_file",
    lambda: lk.string_to_index_table_from_file(VOCABULARY).lookup(tf.constant(["banana", "zzz", "apple"])),
    False,
)
outcome(
    "string_to_index_table_from_tensor",
    lambda: lk.string_to_index_table_from_tensor(["apple"]).lookup(tf.constant(["banana", "zzz", "apple"])),
    False,
)
outcome(
    "HashTable",
    lambda: lk.HashTable(lk.KeyValueTensorInitializer(["a", "b"], [1, 2]), -7).lookup(tf.constant(["b", "z"])),
)
outcome(
    "HashTable i64",
    lambda: lk.HashTable(
        lk.KeyValueTensorInitializer(["a", "b"], [1, 2], tf.string, tf.int64, name="kv"), -7, name="ht"
    ).lookup(tf.constant(["b", "z"]), name="lu"),
)
outcome("HashTable size", lambda: lk.HashTable(lk.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), -7).size())
outcome(
    "HashTable wrongkey",
    lambda: lk.HashTable(lk.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), -7).lookup(tf.constant([1])),
)
outcome("HashTable shapes", lambda: lk.HashTable(lk.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0, 3.0]), -7).size())
outcome(
    "Sparse",
    lambda: lk.index_table_from_tensor(["a", "b"]).lookup(tf.SparseTensor([[0, 0], [1, 2]], ["b", "q"], [2, 3])).values,
)
outcome(
    "uninit",
    lambda: (tf.get_default_graph().get_collection_ref("x"), lk.index_table_from_tensor(["a", "b"]))[1].lookup(
        tf.constant(["a"])
    ),
)
outcome("2d", lambda: lk.index_table_from_tensor(["a", "b"]).lookup(tf.constant([["a"], ["b"]])), False)
outcome("IdTable", lambda: lk.IdTableWithHashBuckets(None, num_oov_buckets=5).lookup(tf.constant(["a", "b"])))
outcome(
    "IdTable2",
    lambda: lk.IdTableWithHashBuckets(
        lk.HashTable(lk.TextFileIdTableInitializer(VOCABULARY), -1), num_oov_buckets=2, hasher_spec=lk.FastHashSpec
    ).size(),
)
outcome(
    "TextFileStr",
    lambda: lk.HashTable(lk.TextFileStringTableInitializer(VOCABULARY), "UNK").lookup(tf.constant([1, 9], tf.int64)),
)
L = tf.lookup
outcome(
    "L static",
    lambda: L.StaticHashTable(L.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1).lookup(tf.constant(["b", "c"])),
)
outcome(
    "L vocab",
    lambda: L.StaticVocabularyTable(
        L.TextFileInitializer(VOCABULARY, tf.string, L.TextFileIndex.WHOLE_LINE, tf.int64, L.TextFileIndex.LINE_NUMBER),
        2,
    ).lookup(tf.constant(["banana", "zzz", "apple"])),
)
outcome(
    "L vocab size",
    lambda: L.StaticVocabularyTable(
        L.TextFileInitializer(VOCABULARY, tf.string, L.TextFileIndex.WHOLE_LINE, tf.int64, L.TextFileIndex.LINE_NUMBER),
        2,
    ).size(),
)
outcome(
    "L vocab int",
    lambda: L.StaticVocabularyTable(
        L.KeyValueTensorInitializer(tf.constant([5, 6], tf.int64), tf.constant([0, 1], tf.int64)), 2
    ).lookup(tf.constant([6, 77], tf.int64)),
)
outcome(
    "L tfi bad",
    lambda: L.TextFileInitializer(
        VOCABULARY, tf.int32, L.TextFileIndex.WHOLE_LINE, tf.int64, L.TextFileIndex.LINE_NUMBER
    ),
)
outcome(
    "L tfi bad2",
    lambda: L.TextFileInitializer(
        VOCABULARY, tf.string, L.TextFileIndex.LINE_NUMBER, tf.int64, L.TextFileIndex.LINE_NUMBER
    ),
)
outcome("L tfi bad3", lambda: L.TextFileInitializer(VOCABULARY, tf.string, -3, tf.int64, L.TextFileIndex.LINE_NUMBER))
outcome(
    "L tfi same",
    lambda: L.TextFileInitializer(
        VOCABULARY, tf.int64, L.TextFileIndex.LINE_NUMBER, tf.int64, L.TextFileIndex.LINE_NUMBER
    ),
)


def mut():
    t = lk.MutableHashTable(tf.string, tf.int64, -1)
    with tf.control_dependencies([t.insert(tf.constant(["x", "y"]), tf.constant([3, 4], tf.int64))]):
        a = t.lookup(tf.constant(["y", "q"]))
    with tf.control_dependencies([a]):
        sz = t.size()
    return [a, sz]


outcome("mutable", mut)


def mut2():
    t = lk.MutableHashTable(tf.string, tf.float32, [0.0, -1.0])
    with tf.control_dependencies([t.insert(tf.constant(["x"]), tf.constant([[3.0, 4]]))]):
        a = t.lookup(tf.constant(["x", "q"]))
    return [a]


outcome("mutable tensors", mut2)


def dense():
    t = lk.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -2)
    with tf.control_dependencies([t.insert(tf.constant([10, 11], tf.int64), tf.constant([3, 4], tf.int64))]):
        a = t.lookup(tf.constant([11, 5], tf.int64))
    with tf.control_dependencies([a]):
        sz = t.size()
    return [a, sz]


outcome("dense", dense)


def dense2():
    t = L.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2)
    with tf.control_dependencies([t.insert(tf.constant([10, 11], tf.int64), tf.constant([3, 4], tf.int64))]):  # noqa: SIM117
        with tf.control_dependencies([t.remove(tf.constant([10], tf.int64))]):
            a = t.lookup(tf.constant([11, 10], tf.int64))
    with tf.control_dependencies([a]):
        t.export()
    return [a]


outcome("dense2", dense2)


def densebad():
    t = lk.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -2)
    with tf.control_dependencies([t.insert(tf.constant([0], tf.int64), tf.constant([3], tf.int64))]):
        return t.size()


outcome("dense empty key", densebad)


def densebad2():
    t = lk.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -2)
    return t.lookup(tf.constant([0], tf.int64))


outcome("dense empty key find", densebad2)


def exp():
    t = lk.MutableHashTable(tf.string, tf.int64, -1)
    with tf.control_dependencies([t.insert(tf.constant(["x"]), tf.constant([3], tf.int64))]):
        k, v = t.export()
    return [k, v]


outcome("export", exp)


def rem():
    t = lk.MutableHashTable(tf.string, tf.int64, -1)
    with tf.control_dependencies([t.insert(tf.constant(["x", "y"]), tf.constant([3, 4], tf.int64))]):  # noqa: SIM117
        with tf.control_dependencies([t.remove(tf.constant(["x"]))]):
            return [t.size(), t.lookup(tf.constant(["x", "y"]))]


outcome("remove", rem)


def ins_shape():
    t = lk.MutableHashTable(tf.string, tf.int64, -1)
    with tf.control_dependencies([t.insert(tf.constant(["x", "y"]), tf.constant([3], tf.int64))]):
        return t.size()


outcome("insert shape", ins_shape)

with tf.Graph().as_default(), tf.Session() as sess:
    table = lk.index_table_from_tensor(["a", "b"])
    ids = table.lookup(tf.constant(["a"]))
    try:
        sess.run(ids)
    except tf.errors.FailedPreconditionError as error:
        results["not filled"] = error.message.split("\n")[0].split(" [[")[0]
    sess.run(tf.tables_initializer())
    sess.run(tf.initialize_all_tables())
    results["filled twice"] = sess.run(ids)
    results["about"] = [table.name, table.initializer.name, table.key_dtype.name, table.value_dtype.name]
    results["no tables"] = [tf.Graph().get_collection(tf.GraphKeys.TABLE_INITIALIZERS)]
    file_table = lk.index_table_from_file(VOCABULARY)
    results["assets"] = [t.name for t in tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)]

# What is saved comes back in another session.
with tf.Graph().as_default():
    table = lk.MutableHashTable(tf.string, tf.float32, [0.0, 0.0], name="kept")
    dense = lk.MutableDenseHashTable(tf.int64, tf.int64, -1, 0, -2, name="dense")
    fill = tf.group(
        table.insert(tf.constant(["a", "b"]), tf.constant([[1.0, 2.0], [3.0, 4.0]])),
        dense.insert(tf.constant([5, 6], tf.int64), tf.constant([50, 60], tf.int64)),
    )
    values = [table.lookup(tf.constant(["b", "c"])), dense.lookup(tf.constant([6, 7], tf.int64)), table.size()]
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(fill)
        path = saver.save(sess, os.path.join(FOLDER, "model"))
    with tf.Session() as sess:
        sess.run(table.insert(tf.constant(["z"]), tf.constant([[9.0, 9.0]])))
        saver.restore(sess, path)
        results["restored"] = sess.run(values)
    results["saved"] = sorted(name for name, _ in tf.train.list_variables(path) if not name.startswith("dense"))
