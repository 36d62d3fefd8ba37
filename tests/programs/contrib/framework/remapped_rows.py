"""contrib.framework: some rows of a checkpoint's matrix where their words are in another vocabulary."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib.framework.python.ops import checkpoint_ops

results = {}
folder = tempfile.mkdtemp()
with tf.Graph().as_default(), tf.Session() as sess:
    tf.get_variable("table/rows", initializer=np.arange(20, dtype=np.float32).reshape(5, 4))
    sess.run(tf.global_variables_initializer())
    checkpoint = tf.train.Saver().save(sess, os.path.join(folder, "model"))


def written(name, words):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("".join(word + "\n" for word in words))
    return path


rows = {"old_row_vocab_file": written("old rows", "abcde"), "new_row_vocab_file": written("new rows", "bdxa")}
columns = {"old_col_vocab_file": written("old columns", "pqrs"), "new_col_vocab_file": written("new columns", "rpz")}
cases = {
    "both": dict(rows, **columns),
    "unknown": dict(rows, num_row_oov_buckets=1, num_col_oov_buckets=2, **columns),
    "columns": columns,
    "rows": dict(rows, new_col_vocab_size=4, max_rows_in_memory=2),
    "fewer old rows": dict(rows, old_row_vocab_size=2, **columns),
    "one vocabulary": dict(columns, new_row_vocab_file=rows["new_row_vocab_file"]),
    "no vocabulary": {},
    "less than none": dict(columns, num_row_oov_buckets=-1),
}
for name in sorted(cases):
    settings = dict({"new_col_vocab_size": 3, "new_row_vocab_offset": 1, "num_rows_to_load": 3}, **cases[name])
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        try:
            matrix = checkpoint_ops._load_and_remap_matrix(
                ckpt_path=[checkpoint],
                old_tensor_name="table/rows",
                initializer=lambda shape, dtype=None, partition_info=None: tf.tile(tf.constant([[42.0]]), shape),
                **settings,
            )
            results[name] = [sess.run(matrix), [op.name for op in graph.get_operations()]]
        except ValueError as error:
            results[name] = [type(error).__name__, str(error).split(",")[0].split(".")[0][:40]]
