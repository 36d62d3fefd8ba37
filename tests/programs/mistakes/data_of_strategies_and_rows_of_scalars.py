"""Data that does not fit a model under a strategy; rows of variables that are scalars; variables given as a count of steps."""

import os
import tempfile

import h5py
import numpy as np
import tensorflow as tf

T = tf.train
results = {}
x = np.linspace(-1, 1, 24).reshape(8, 3).astype(np.float32)
y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)


def tried(name, function):
    tf.reset_default_graph()
    tf.keras.backend.clear_session()
    try:
        made = function()
        results[name] = "none" if made is None else np.asarray(made)
    except Exception as error:
        results[name] = type(error).__name__


def model():
    made = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))])
    made.compile("sgd", "mse")
    return made


# ---- strategies


def divided(use, *data, **arguments):
    def run():
        with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
            made = model()
        found = getattr(made, use)(*data, batch_size=4, verbose=0, **arguments)
        return found.history["loss"] if use == "fit" else found

    return run


tried("fitting data", divided("fit", x, y, shuffle=False))
tried("too few columns", divided("fit", x[:, :2], y))
tried("too few columns, tested", divided("evaluate", x[:, :2], y))
tried("one axis", divided("predict", x[:, 0]))
tried("inputs too many", divided("fit", [x, x], y))
tried("no targets", divided("fit", x))
tried("lists", divided("fit", x.tolist(), y.tolist()))
tried("lists, tested", divided("evaluate", x.tolist(), y.tolist()))
tried("nothing", divided("predict", None))
tried("a list of arrays", divided("predict", [x]))

# ---- rows of scalars


def scattered(use, resource, at=(0,), by=(1.0,)):
    def run():
        variable = tf.Variable(1.0, use_resource=resource)
        step = use(variable, list(at) if isinstance(at, tuple) else at, list(by) if isinstance(by, tuple) else by)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            return session.run(variable)

    return run


for resource in (False, True):
    kind = ", resource" if resource else ""
    for use in (tf.scatter_add, tf.scatter_sub, tf.scatter_update):
        tried(use.__name__ + kind, scattered(use, resource))
    tried("beyond it" + kind, scattered(tf.scatter_add, resource, (1,)))
    tried("two for one" + kind, scattered(tf.scatter_add, resource, (0, 0), (1.0,)))
    tried("twice" + kind, scattered(tf.scatter_add, resource, (0, 0), (1.0, 2.0)))


def sparsely(optimizer):
    def run():
        variable = tf.Variable(1.0)
        slices = tf.IndexedSlices(tf.ones([1]), tf.constant([0]))
        step = optimizer.apply_gradients([(slices, variable)])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)

    return run


tried("a row's gradient", sparsely(T.GradientDescentOptimizer(0.1)))
tried("a row's gradient, with slots", sparsely(T.AdamOptimizer(0.1)))

# ---- what is given in another's place


def counted(step_of, resource=False):
    def run():
        variable = tf.Variable([1.0, 2.0], use_resource=resource)
        T.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(variable), step_of(variable))

    return run


tried("variables as a count", counted(lambda v: [v]))
tried("variables as a count, resource", counted(lambda v: [v], True))
tried("a tuple as a count", counted(lambda v: (v, v)))
tried("all variables as a count", counted(lambda v: tf.trainable_variables()))
tried("numbers as a count", counted(lambda v: [1]))
tried("a number for a node", lambda: tf.graph_util.must_run_on_cpu(3))

# ---- files


def damaged(damage):
    def run():
        path = os.path.join(tempfile.mkdtemp(), "m.h5")
        model().save(path)
        with h5py.File(path, "a") as file:
            damage(file)
        try:
            tf.keras.models.load_model(path)
        except KeyError:
            return "no such entry"

    return run


tried("no weights", damaged(lambda file: file.__delitem__("model_weights")))
tried("no optimizer", damaged(lambda file: file.attrs.__setitem__("training_config", b"{}")))
