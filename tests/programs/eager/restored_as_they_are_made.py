"""Variables that begin with what a checkpoint has under their names, eagerly."""

import os
import tempfile

import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
results = {}


def checkpoint(*names):
    variables = [tfe.Variable(4.0 + i, name=name) for i, name in enumerate(names)]
    return tfe.Saver(variables).save(os.path.join(tempfile.mkdtemp(), "saved"))


def restored(path, make, **keywords):
    try:
        with tfe.restore_variables_on_create(path, **keywords):
            made = make()
        return [variable.numpy() for variable in (made if isinstance(made, list) else [made])]
    except (ValueError, tf.errors.OpError) as error:
        return type(error).__name__


def in_a_scope():
    with tf.variable_scope("s"):
        first = tfe.Variable(1.0, name="v")
        return [first, tf.get_variable("v", [], initializer=tf.zeros_initializer())]


def in_a_name_scope():
    with tf.name_scope("s"):
        return tfe.Variable(1.0, name="v")


def dense(layers):
    layer = layers.Dense(1, name="d")
    layer(tf.ones([1, 1]))
    return [layer.kernel, layer.bias]


path = checkpoint("v")
results["variable"] = restored(path, lambda: tfe.Variable(1.0, name="v"))
results["of a store"] = restored(path, lambda: tf.get_variable("v", [], initializer=tf.zeros_initializer()))
results["of version 2"] = restored(path, lambda: tf.compat.v2.Variable(1.0, name="v"))
results["missing"] = restored(path, lambda: tfe.Variable(1.0, name="other"))
results["renamed"] = restored(path, lambda: tfe.Variable(1.0, name="other"), map_func=lambda name: "v")
results["of another shape"] = restored(path, lambda: tfe.Variable([1.0, 2.0], name="v"))
results["of a folder"] = restored(os.path.dirname(path), lambda: tfe.Variable(1.0, name="v"))
results["of nothing"] = restored(None, lambda: tfe.Variable(1.0, name="v"))
results["of no file"] = restored("/nonexistent/saved", lambda: tfe.Variable(1.0, name="v"))
results["in a scope"] = restored(checkpoint("s/v"), in_a_scope)
results["in a name scope"] = restored(checkpoint("s/v"), in_a_name_scope)
results["layer"] = restored(checkpoint("d/kernel", "d/bias"), lambda: dense(tf.layers))
results["layer of Keras"] = restored(checkpoint("d/kernel", "d/bias"), lambda: dense(tf.keras.layers))
results["afterwards"] = tfe.Variable(1.0, name="v").numpy()
