"""What is said eagerly of tapes without a recording, of models' steps and layers, of strategies and of scopes."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
ones = np.ones


def tried(name, function):
    try:
        made = function()
        results[name] = "none" if made is None else np.asarray(made)
    except Exception as error:
        results[name] = type(error).__name__


def taped(use, value=(3.0, 1.0), traced=False):
    def body():
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * 2.0
        return use(tape, y, x)

    return lambda: tf.function(body)() if traced else body()


def after(use):
    """The use of a tape that is used up."""

    def used(tape, y, x):
        tape.gradient(y, x)
        return use(tape, y, x)

    return used


for traced in (False, True):
    kind = ", traced" if traced else ""
    tried("jacobian of a used tape" + kind, taped(after(lambda t, y, x: t.jacobian(y, x)), traced=traced))
    tried(
        "rows of a used tape" + kind,
        taped(after(lambda t, y, x: t.jacobian(y, x, experimental_use_pfor=False)), traced=traced),
    )
    tried(
        "zeros of a used tape" + kind,
        taped(after(lambda t, y, x: t.jacobian(y, x, unconnected_gradients="zero")), traced=traced),
    )
    tried("gradient of a used tape" + kind, taped(after(lambda t, y, x: t.gradient(y, x)), traced=traced))
    tried(
        "batches that are not connected" + kind,
        taped(lambda t, y, x: t.batch_jacobian(y, tf.ones([2, 1])), [[3.0], [1.0]], traced=traced),
    )
    tried("starts too many" + kind, taped(lambda t, y, x: t.gradient([y], x, output_gradients=[y, y]), traced=traced))
tried("starts too few, traced", taped(lambda t, y, x: t.gradient([y, y], x, output_gradients=[y]), traced=True))
tried("jacobian of an unused tape", lambda: tf.GradientTape().jacobian(tf.ones([2]), tf.ones([2])))

# ---- models

dense = tf.keras.layers.Dense


def fitted(rows=4, use="fit", settings=None, **arguments):
    def run():
        model = tf.keras.Sequential([dense(2, input_shape=(3,))])
        model.compile("sgd", "mse", **(settings or {}))
        given = [ones([rows, 3])] + ([] if use == "predict" else [ones([rows, 2])])
        getattr(model, use)(*given, verbose=0, **arguments)

    return run


tried("steps that divide the rows", fitted(steps_per_epoch=2))
tried("steps that leave rows over", fitted(steps_per_epoch=3))
tried("more steps than rows", fitted(steps_per_epoch=9))
tried("too few rows for the batches", fitted(5, steps_per_epoch=4, batch_size=2))
tried("a last batch of fewer", fitted(5, steps_per_epoch=3, batch_size=2))
tried("evaluated in steps that leave rows over", fitted(use="evaluate", steps=3))
tried("predicted in steps that leave rows over", fitted(use="predict", steps=3))
tried("another setting of compile", fitted(settings={"nope": 3}))
tried("a loss without losses", lambda: tf.keras.losses.Loss()(ones(2), ones(2)))
tried("a layer of nothing", lambda: tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: None)])(tf.ones([2, 3])))
tried(
    "a layer of two outputs",
    lambda: tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: [x, x]), dense(1)])(tf.ones([2, 3])),
)
tried("a number as a layer", lambda: tf.keras.layers.serialize(3))
tried("a mask of one axis", lambda: tf.keras.layers.SimpleRNN(2)(tf.ones([2, 3, 1]), mask=tf.constant([True, False])))
tried("products of an array's number", lambda: tf.keras.backend.batch_dot(np.float64(2), tf.ones([2, 3, 1]), axes=1))

# ---- strategies

mirrored = tf.distribute.MirroredStrategy(["/cpu:0"])
alone = tf.distribute.OneDeviceStrategy("/cpu:0")
with mirrored.scope():
    variable = tf.Variable(1.0)
tried("assigned by the only replica", lambda: mirrored.experimental_run_v2(lambda: variable.assign(3.0)) and None)
tried("rows that are no batches", lambda: mirrored.experimental_distribute_dataset(tf.data.Dataset.range(3)))
tried("arrays", lambda: [row.numpy() for row in alone.experimental_make_numpy_dataset(ones([2, 1]))])

# ---- scopes


def entered(scope):
    with scope() as name:
        return name


tried("a scope of no name", lambda: entered(lambda: tf.name_scope(None, None, [1])))
tried("a scope of a number", lambda: entered(lambda: tf.name_scope(3)))
tried("a number's variables", lambda: tf.variables_initializer(3))
tried("a regularizer that is no function", lambda: tf.get_variable("v", [2], regularizer="l2"))
tried("variables of another kind", lambda: tf.get_variable_scope().set_use_resource(False))

# ---- arrays

c = tf.constant
tried("into nothing", lambda: tf.tensor_scatter_add(tf.zeros([0]), c([[0]]), c([1.0])))
tried("into nothing, traced", lambda: tf.function(lambda: tf.tensor_scatter_add(tf.zeros([0]), c([[0]]), c([1.0])))())
tried("indices of no sizes", lambda: tf.unravel_index(c([3]), c([], tf.int32)))
tried("indices below zero", lambda: tf.unravel_index(c([-1, -4]), c([2, 3])))
tried("from infinity", lambda: tf.linspace(float("inf"), 1.0, 3))
tried("to infinity", lambda: tf.linspace(1.0, float("inf"), 3))
tried("a shape that is a list", lambda: tf.broadcast_static_shape([1, 2], tf.TensorShape([3, 1])))
tried("ranges of bytes", lambda: tf.ragged.range(c([0, 1], tf.int8), c([2, 3])))
