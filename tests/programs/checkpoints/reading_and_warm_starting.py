"""What checkpoints hold, and variables that begin with it: whole, renamed, by scope, in parts, by vocabulary."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()


def refusal(function):
    try:
        function()
    except Exception as error:
        return [type(error).__name__, str(getattr(error, "message", error)).replace(folder, "DIR").split("\n\t [[")[0]]
    return "nothing"


def write(name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("".join(word + "\n" for word in words))
    return path


try:
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.get_variable("encoder/w", initializer=np.arange(6, dtype=np.float32).reshape(3, 2))
        tf.get_variable("encoder/b", initializer=np.array([1.0, -1.0], np.float32))
        tf.get_variable("decoder/w", initializer=np.arange(8, dtype=np.float32).reshape(4, 2) * 10)
        tf.get_variable("embedding", initializer=np.arange(12, dtype=np.float32).reshape(4, 3))
        tf.get_variable("count", initializer=np.int64(5))
        tf.get_variable("flag", initializer=np.array(True))
        tf.get_variable("half", initializer=np.array([0.5, 2.0], np.float16))
        tf.get_variable("words", initializer=tf.constant([b"a", b"", b"ccc"]))
        tf.get_variable("complex", initializer=np.array([1 + 2j], np.complex64))
        tf.get_variable("empty", initializer=np.zeros([0, 3], np.float32))
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, folder + "/model", global_step=1)

    reader = tf.train.NewCheckpointReader(path)
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    results["shapes"] = {name: list(shape) for name, shape in shapes.items()}
    results["types"] = {name: dtype.name for name, dtype in types.items()}
    results["values"] = {name: reader.get_tensor(name) for name in sorted(shapes)}
    results["text"] = reader.debug_string().decode()
    results["has"] = [reader.has_tensor("count"), reader.has_tensor("nothing"), reader.has_tensor("")]
    results["missing"] = refusal(lambda: reader.get_tensor("nothing"))
    results["no checkpoint"] = refusal(lambda: tf.train.NewCheckpointReader(folder + "/nothing"))
    results["list"] = [[name, list(shape)] for name, shape in tf.train.list_variables(folder)]
    results["contrib list"] = tf.contrib.framework.list_variables(path)[0][0]
    results["load"] = [tf.train.load_variable(folder, "count:0"), tf.contrib.framework.load_variable(path, "encoder/b")]
    os.mkdir(folder + "/none")
    results["no state"] = refusal(lambda: tf.train.load_checkpoint(folder + "/none"))
    results["iterator"] = [
        os.path.basename(p) for p in tf.train.checkpoints_iterator(folder, timeout=0, timeout_fn=lambda: True)
    ]

    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("model"):
            w = tf.get_variable("encoder/w", [3, 2])
            b = tf.get_variable("encoder/b", [2], use_resource=True)
            parts = tf.get_variable("renamed", [4, 2], partitioner=tf.fixed_size_partitioner(2))
            late = tf.get_variable("late", [3, 2])
        single = tf.get_variable("single", [], tf.int64)
        tf.train.init_from_checkpoint(
            path,
            {
                "encoder/": "model/encoder/",
                "decoder/w": "model/renamed",
                "count": single,
                "encoder/w": late,
            },
        )
        results["new ops"] = [
            [op.name, op.type, op.device]
            for op in tf.get_default_graph().get_operations()
            if "checkpoint_init" in op.name
        ]
        results["initializers"] = [v.initializer.name for v in tf.global_variables()]
        sess.run(tf.global_variables_initializer())
        results["initialized"] = sess.run([w, b, parts.as_tensor(), late, single])
        results["initial value"] = sess.run(w.initial_value)
        results["refusals"] = {
            "absent": refusal(lambda: tf.train.init_from_checkpoint(folder + "/model-1", {"gone": w}))[0],
            "shape": refusal(lambda: tf.train.init_from_checkpoint(path, {"decoder/w": w})),
            "scope": refusal(lambda: tf.train.init_from_checkpoint(path, {"encoder": "other/"})),
            "in scope": refusal(lambda: tf.train.init_from_checkpoint(path, {"decoder/": "model/encoder/"})),
        }

    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("encoder/w", [3, 2])
        new = tf.get_variable("new", [2], initializer=tf.zeros_initializer())
        sess.run(tf.global_variables_initializer())
        assign, feeds = tf.contrib.framework.assign_from_checkpoint(path, {"encoder/w": w, "encoder/b": [new]})
        results["placeholders"] = sorted(tensor.name for tensor in feeds)
        sess.run(assign, feeds)
        results["assigned"] = sess.run([w, new])
        with tf.variable_scope("again"):
            copy = tf.get_variable("copy", [6])
        restore = tf.contrib.framework.assign_from_checkpoint_fn(
            path, {"encoder/w": copy, "gone": new}, ignore_missing_vars=True, reshape_variables=True
        )
        restore(sess)
        results["reshaped"] = sess.run(copy)
        results["nothing left"] = (
            tf.contrib.framework.assign_from_checkpoint_fn(path, {"gone": new}, ignore_missing_vars=True) is None
        )
        results["contrib refusals"] = [
            refusal(lambda: tf.contrib.framework.assign_from_checkpoint(path, {"gone": new})),
            refusal(lambda: tf.contrib.framework.assign_from_checkpoint(path, {"encoder/w": new})),
            refusal(lambda: tf.contrib.framework.assign_from_checkpoint_fn(path, [])),
        ]

    old_words = write("old.txt", ["one", "two", "three", "four"])
    new_words = write("new.txt", ["three", "five", "one"])
    with tf.Graph().as_default(), tf.Session() as sess:
        embedding = tf.get_variable("embedding", [4, 3])
        w = tf.get_variable("w", [3, 2])
        tf.train.warm_start(
            folder,
            vars_to_warm_start=".*",
            var_name_to_vocab_info={
                "embedding": tf.train.VocabInfo(new_words, 3, 1, old_words, backup_initializer=tf.ones_initializer())
            },
            var_name_to_prev_var_name={"w": "encoder/w"},
        )
        sess.run(tf.global_variables_initializer())
        results["warm"] = sess.run([embedding, w])
        results["unused"] = refusal(
            lambda: tf.train.warm_start(folder, "nothing", var_name_to_prev_var_name={"typo": "encoder/w"})
        )
        results["axis"] = refusal(lambda: tf.train.VocabInfo("a", 1, 1, "b", axis=2))

    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(2)):
            embedding = tf.get_variable(
                "embedding",
                [4, 3],
                initializer=tf.contrib.framework.load_embedding_initializer(
                    path, "embedding", 3, 3, old_words, new_words, num_oov_buckets=1, initializer=tf.ones_initializer()
                ),
            )
        columns = tf.get_variable(
            "columns",
            [4, 4],
            initializer=tf.contrib.framework.load_and_remap_matrix_initializer(
                path,
                "embedding",
                new_row_vocab_size=4,
                new_col_vocab_size=3,
                old_col_vocab_file=old_words,
                new_col_vocab_file=new_words,
                num_col_oov_buckets=1,
            ),
        )
        sess.run(tf.global_variables_initializer())
        results["remapped"] = sess.run([embedding.as_tensor(), columns])
finally:
    shutil.rmtree(folder)
