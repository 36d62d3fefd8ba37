"""A SavedModel with functions, a branch and variables, as real TensorFlow 2.21 writes it.

    python tools/oracle/make_tf2_fixtures.py tests/fixtures/saved_model_tf2

Runs in the environment of TensorFlow 2.21. Beside the model stands `example.npz`: an input of each branch, and outputs.
"""

import shutil
import sys

import numpy as np
import tensorflow as tf


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.random.stateless_normal([3, 2], [1, 2]), name="w")
        self.b = tf.Variable([1.0, 2.0], name="b")

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")])
    def serve(self, x):
        if tf.reduce_sum(x) > 0.0:
            y = tf.matmul(x, self.w) + self.b
        else:
            y = tf.matmul(x, self.w) - self.b
        return {"y": tf.nn.softmax(y), "sum": tf.reduce_sum(y, axis=1)}


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    model = Model()
    tf.saved_model.save(model, folder, signatures={"serving_default": model.serve})
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    first, second = model.serve(x), model.serve(-x)
    np.savez(
        folder + "/example.npz", x=x, y=first["y"], sum=first["sum"], negative_y=second["y"], negative_sum=second["sum"]
    )


if __name__ == "__main__":
    main(sys.argv[1])
