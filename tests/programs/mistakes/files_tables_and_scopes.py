"""Which class refuses damaged files, tables of wrong files, device functions, empty choices and what is no summary."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
tf.logging.set_verbosity(tf.logging.ERROR)
C = tf.constant
FOLDER = tempfile.mkdtemp()


def written(name, content):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def saved(value):
    """A checkpoint of one variable, in a graph of its own."""
    with tf.Graph().as_default():
        v = tf.Variable(value, name="v")
        with tf.Session() as sess:
            sess.run(v.initializer)
            return tf.train.Saver().save(sess, os.path.join(tempfile.mkdtemp(), "model"))


def cut(value, size):
    prefix = saved(value)
    path = prefix + ".data-00000-of-00001"
    with open(path, "rb") as file:
        content = file.read()
    with open(path, "wb") as file:
        file.write(content[:size])
    return prefix


def restored(prefix):
    tf.Variable(np.zeros(500, np.float32), name="v")
    tf.train.Saver().restore(tf.Session(), prefix)


def restored_elsewhere(empty):
    prefix = saved(np.zeros(3, np.float32))
    saver = tf.train.import_meta_graph(prefix + ".meta")
    graph = tf.Graph()
    if not empty:
        with graph.as_default():
            C(1)
    saver.restore(tf.Session(graph=graph), prefix)


def table_of(delimiter):
    path = written("words", b"a b\nc d\n")
    read = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.string, 1, delimiter=delimiter)
    table = tf.lookup.StaticHashTable(read, "")
    with tf.Session() as sess:
        sess.run(table.initializer)
        return int(sess.run(table.size()))


def fed_for_rows(value):
    rows = tf.ragged.placeholder(tf.float32, 1, [])
    return tf.Session().run(rows.flat_values, {rows: value})


def on(device):
    with tf.device(device):
        C(1)


def added(summary):
    tf.summary.FileWriter(FOLDER).add_summary(summary)


def folder_of_writer(logdir):
    """Runs in a folder of its own, where a writer may make one."""
    before = os.getcwd()
    os.chdir(tempfile.mkdtemp())
    try:
        writer = tf.summary.FileWriter(logdir)
        writer.close()
        return os.listdir(".")
    finally:
        os.chdir(before)


def eager_after_session():
    tf.Session().close()
    tf.enable_eager_execution()


ones = np.ones(500, np.float32)
x = [1.0]
CASES = {
    "numbers cut short": lambda: restored(cut(ones, 50)),
    "numbers cut short, read": lambda: tf.train.load_variable(cut(ones, 50), "v"),
    "numbers that are gone": lambda: tf.train.load_variable(cut(ones, 0), "v"),
    "many numbers cut short": lambda: tf.train.load_variable(cut(np.ones(500000, np.float32), 50000), "v"),
    "words cut short": lambda: tf.train.load_variable(cut(np.array(["abc"] * 50), 60), "v"),
    "restored in an empty graph": lambda: restored_elsewhere(True),
    "restored in another graph": lambda: restored_elsewhere(False),
    "text that is no meta graph": lambda: tf.train.import_meta_graph(written("a.meta", b"abc")),
    "no meta graph": lambda: tf.train.import_meta_graph(os.path.join(FOLDER, "none.meta")),
    "table of two characters": lambda: table_of("::"),
    "table of no character": lambda: table_of(""),
    "table of one character": lambda: table_of(" "),
    "device of a number": lambda: on(lambda op: 3),
    "device of nothing": lambda: on(lambda op: None),
    "device of a list": lambda: on(lambda op: []),
    "device of text": lambda: on(lambda op: "/cpu:0"),
    "case of none": lambda: tf.case([], default=lambda: C(1)),
    "case of no dict": lambda: tf.case({}, default=lambda: C(1)),
    "chosen of numbers": lambda: tf.data.experimental.choose_from_datasets([3], tf.data.Dataset.range(2)),
    "sampled of numbers": lambda: tf.data.experimental.sample_from_datasets([3, 4]),
    "hessians of a number": lambda: tf.hessians(C(x), 3),
    "hessians of text": lambda: tf.hessians(C(x), "a"),
    "contained": lambda: 1 in C([1, 2]),
    "summary of a list": lambda: added([tf.Summary()]),
    "summary of text": lambda: added("abc"),
    "summary of nothing": lambda: added(None),
    "summary of a tensor": lambda: added(C("a")),
    "writer of nothing": lambda: folder_of_writer(None),
    "writer of a number": lambda: folder_of_writer(3),
    "summaries of no scope": lambda: tf.summary.merge_all(scope=3),
    "rows of a vector": lambda: tf.Session().run(tf.serialize_many_sparse(tf.SparseTensor([[0]], [1.0], [2]))),
    "operation of a function": lambda: tf.function(lambda: tf.no_op())(),
    "list fed for rows": lambda: fed_for_rows([[1.0], [2.0]]),
    "number fed for rows": lambda: fed_for_rows(3.0),
    "rows fed for rows": lambda: fed_for_rows(tf.ragged.constant_value([[1.0], [2.0, 3.0]])),
    "eagerly after a session": eager_after_session,
}

for name in sorted(CASES):
    tf.reset_default_graph()
    try:
        results[name] = CASES[name]()
    except Exception as error:
        results[name] = type(error).__name__
