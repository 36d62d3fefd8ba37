"""Keras in graphs: no targets, inputs that are outputs, losses of no layer, arrays for generators; updates out of bounds."""

import os
import tempfile

import numpy as np
import tensorflow as tf

K, L, T = tf.keras.backend, tf.keras.layers, tf.train
results = {}
x = np.linspace(-1, 1, 24).reshape(8, 3).astype(np.float32)
y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)


def tried(name, function):
    tf.reset_default_graph()
    K.clear_session()
    try:
        made = function()
        results[name] = "none" if made is None else np.asarray(made)
    except Exception as error:
        results[name] = type(error).__name__


def dense(count=1, **arguments):
    return L.Dense(count, kernel_initializer="ones", **arguments)


def model(loss="mse", count=1, added=None):
    made = tf.keras.Sequential([dense(count, input_shape=(3,))])
    if added is not None:
        added(made)
    made.compile("sgd", loss)
    return made


def fitted(loss="mse", count=1, **arguments):
    return lambda: model(loss, count).fit(x, verbose=0, **arguments).history["loss"]


# ---- no targets

tried("no targets", fitted(epochs=2))
tried("no targets, in batches", fitted(batch_size=3, shuffle=False))
tried("no targets, but weights", fitted(sample_weight=np.arange(8.0)))
tried("no targets for probabilities", fitted("categorical_crossentropy", 3))
tried("no targets for classes", fitted("sparse_categorical_crossentropy", 3))
tried("a loss that asks for none", fitted(lambda true, found: K.mean(found)))
tried(
    "a dataset of inputs",
    lambda: model().fit(tf.data.Dataset.from_tensor_slices(x).batch(4), verbose=0).history["loss"],
)
tried("a batch", lambda: model().train_on_batch(x))
tried("tested without", lambda: model().evaluate(x, verbose=0))
tried("tested without, a batch", lambda: model().test_on_batch(x))
tried("validated without", fitted(validation_split=0.5))


def dropped():
    """The learning phase is taken for the target, and the layer does not drop."""
    made = tf.keras.Sequential([L.Dropout(0.9, input_shape=(3,)), dense()])
    made.compile("sgd", "mse")
    return made.train_on_batch(x)


def several():
    a = L.Input((3,))
    made = tf.keras.Model(a, [dense()(a), dense(2)(a)])
    made.compile("sgd", "mse")
    made.fit(x, verbose=0)


def subclassed():
    class Net(tf.keras.Model):
        def __init__(self):
            super(Net, self).__init__()
            self.dense = dense()

        def call(self, inputs):
            return self.dense(inputs)

    made = Net()
    made.compile("sgd", "mse")
    return made.fit(x, verbose=0).history["loss"]


tried("what drops in training", dropped)
tried("two outputs", several)
tried("a class of the program", subclassed)
tried("targets of another rank", lambda: model().fit(x, y[..., None], verbose=0))
tried("targets of two axes more", lambda: model().train_on_batch(x, np.ones((8, 2, 2))))

# ---- inputs that are outputs


def through():
    a = L.Input((3,))
    return tf.keras.Model(a, [a, dense()(a)]).predict(x)


def partly():
    tensor = tf.placeholder(tf.float32)
    session = tf.Session()
    handle = session.partial_run_setup([tensor], [tensor])
    return session.partial_run(handle, tensor, {tensor: 3.0})


def backend_function():
    tensor = K.placeholder((2,))
    return K.function([tensor], [tensor + 1, tensor])([[1.0, 2.0]])


def called():
    tensor = tf.placeholder(tf.float32)
    return tf.Session().make_callable([tensor, tensor + 1], [tensor])(3.0)


tried("a model without layers", lambda: tf.keras.Sequential().predict(x))
tried("an input as an output", through)
tried("a step of parts", partly)
tried("a function of the backend", backend_function)
tried("a callable", called)

# ---- losses and metrics of no layer


def trained_with(added):
    def run():
        made = model(added=added)
        return [layer.name for layer in made.layers[1:]], made.fit(x, y, verbose=0).history["loss"]

    return run


def summed(added):
    names, losses = trained_with(added)()
    results["layers of " + added.__name__] = names
    return losses


def number(made):
    made.add_loss(3.0)


def constant(made):
    made.add_loss(tf.constant(2.0) * 3.0)


def metric(made):
    made.add_metric(tf.constant(6.0), name="six", aggregation="mean")


for added in (number, constant, metric):
    tried(added.__name__, lambda added=added: summed(added))

# ---- what is called and given otherwise


def numbered_folder():
    """TensorFlow makes the folder before it refuses it."""
    before = os.getcwd()
    os.chdir(tempfile.mkdtemp())
    try:
        model().fit(x, y, verbose=0, callbacks=[tf.keras.callbacks.TensorBoard(3)])
    finally:
        os.chdir(before)


class Nothing(L.Layer):
    def call(self, inputs):
        return None


tried("a layer of nothing, of an array", lambda: Nothing()(x))
tried("a layer of nothing, of a tensor", lambda: Nothing()(tf.constant(x)))
tried("a layer of nothing, of both", lambda: Nothing()([x, tf.constant(x)]))
tried("an array as a generator", lambda: model().fit_generator(x, steps_per_epoch=1))
tried("arrays as a generator", lambda: model().fit_generator((x, y), steps_per_epoch=1))
tried("updates of a text", lambda: model().get_updates_for("x"))
tried("losses of a text", lambda: model().get_losses_for("x"))
tried("one column of three", lambda: model().summary(positions=[1], print_fn=lambda line: None))
tried("copied onto an array", lambda: tf.keras.models.clone_model(model(), input_tensors=x))
tried("a constant of fewer", lambda: K.constant([1, 2], shape=(3,)))
tried("a constant of one", lambda: K.eval(K.constant([2], shape=(3,))))
tried("a constant in another shape", lambda: K.eval(K.constant([[1, 2], [3, 4]], shape=(4,))))
tried("images of two axes", lambda: K.resize_images(K.constant(x), 2, 2, "channels_first"))
tried("a folder that is a number", numbered_folder)
tried("an optimizer without settings", lambda: tf.keras.optimizers.Optimizer("x"))

# ---- updates out of bounds


def stepped(optimizer, rows=False, resource=True):
    def run():
        variable = tf.Variable([1.0, 2.0], use_resource=resource)
        loss = tf.reduce_sum(tf.gather(variable, [0]) if rows else variable * variable)
        step = optimizer().minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(step)
            return session.run(variable)

    return run


for rows in (False, True):
    kind = ", rows" if rows else ""
    tried("a rate below zero" + kind, stepped(lambda: T.FtrlOptimizer(-0.1), rows))
    tried("a rate that is a tensor" + kind, stepped(lambda: T.FtrlOptimizer(tf.constant(0.0)), rows, False))
    tried(
        "with shrinkage" + kind,
        stepped(lambda: T.FtrlOptimizer(-0.1, l2_shrinkage_regularization_strength=0.1), rows),
    )
    tried("proximal, a rate below zero" + kind, stepped(lambda: T.ProximalAdagradOptimizer(-0.1), rows))
    tried(
        "proximal, a strength below zero" + kind,
        stepped(lambda: T.ProximalAdagradOptimizer(0.1, l1_regularization_strength=-3.0), rows),
    )
    tried("descent, a rate below zero" + kind, stepped(lambda: T.ProximalGradientDescentOptimizer(-0.1), rows))

# ---- variables, constants, strategies

tried("a regularizer's number", lambda: tf.get_variable("v", [2], regularizer=lambda v: 3.0))
tried("a variable of a number", lambda: tf.Variable.from_proto(3))
tried("an integer too large", lambda: tf.constant([2**63], tf.int32))
tried("an integer too large for bytes", lambda: tf.constant([[1, 2**63]], tf.uint8))
tried("no devices", lambda: tf.distribute.MirroredStrategy([]).num_replicas_in_sync)
tried("a scope left, not entered", lambda: tf.distribute.MirroredStrategy(["/cpu:0"]).scope().__exit__(*[None] * 3))


def across():
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        variable = tf.Variable(1.0)
        tf.keras.optimizers.SGD(0.1).apply_gradients([(tf.constant(1.0), variable)])


tried("an update across replicas", across)
