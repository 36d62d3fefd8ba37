"""Scopes, partitioners, optimizers and signatures that are told things of the wrong kind."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}


def kind_of(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__
    return "made"


def in_scope(name="a", variable="v", **settings):
    with tf.variable_scope(name, **settings):
        return tf.get_variable(variable, [2])


def optimized(name=None, step=None):
    variable = tf.Variable([1.0], use_resource=True)
    optimizer = tf.keras.optimizers.SGD(0.1, name=name)
    optimizer.apply_gradients([(tf.ones([1]), variable)], name=step)
    return optimizer


OTHERS = {"number": 3, "list": [1.0], "bytes": b"x", "type": tf.int32, "empty list": [], "nothing": None}
shape = tf.TensorShape([4, 2])
ACTS = {
    "variable": lambda other: in_scope(variable=other),
    "optimizer": lambda other: optimized(other),
    "step": lambda other: optimized("o", other),
    "settings": lambda other: tf.keras.optimizers.SGD.from_config(other),
    "scope of v2": lambda other: tf.compat.v2.name_scope(other).__enter__(),
    "sizes in bytes": lambda other: tf.variable_axis_size_partitioner(16)(shape, other),
    "sizes between": lambda other: tf.min_max_variable_partitioner(2)(shape, other),
    "sizes of other shapes": lambda other: tf.min_max_variable_partitioner(2)(other, tf.float32),
    "device": lambda other: tf.DeviceSpec.from_string(other),
    "signature": lambda other: tf.saved_model.build_signature_def(inputs=other),
    "regression": lambda other: tf.saved_model.regression_signature_def(tf.placeholder(tf.string), other),
    "paths": lambda other: tf.train.generate_checkpoint_state_proto(".", "m", all_model_checkpoint_paths=other),
}
for act in sorted(ACTS):
    for other in sorted(OTHERS):
        if act not in ("regression", "signature"):
            results[act + ", eagerly: " + other] = kind_of(lambda: ACTS[act](OTHERS[other]))
        with tf.Graph().as_default():
            results[act + ", in a graph: " + other] = kind_of(lambda: ACTS[act](OTHERS[other]))

for settings in [{"caching_device": "/cpu:0"}, {"use_resource": False}, {"use_resource": True}]:
    results["%r, eagerly" % settings] = kind_of(lambda: in_scope("b", **settings))
    with tf.Graph().as_default():
        results["%r, in a graph" % settings] = kind_of(lambda: in_scope("b", **settings))
scope = tf.get_variable_scope()
results["caching device, eagerly"] = kind_of(lambda: scope.set_caching_device(None))
results["no resource, eagerly"] = kind_of(lambda: scope.set_use_resource(None))
with tf.Graph().as_default():
    results["names"] = [tf.keras.optimizers.SGD(0.1, name=name)._name for name in (None, "", "o")]
    results["weights"] = [weight.name for weight in optimized().weights]
    results["number, by a layer"] = tf.keras.layers.LeakyReLU(alpha=0.5)(tf.float32.as_numpy_dtype(1)).shape.as_list()

for kind in [True, False]:
    with tf.Graph().as_default():
        rows = tf.get_variable("rows", [2], use_resource=kind)
        for indices, updates in [(3, [1.0]), ([3], 1.0), ([[0]], [1.0]), (0, 1.0)]:
            for scatter in (tf.scatter_nd_update, tf.scatter_nd_add):
                key = "%s of %r at %r, resource %s" % (scatter.__name__, updates, indices, kind)
                results[key] = kind_of(lambda: scatter(rows, indices, updates))
results["updates of what has run"] = kind_of(
    lambda: tf.keras.optimizers.SGD(0.1).get_updates(tf.constant(1.0), [tf.Variable(1.0, use_resource=True)])
)
with tf.Graph().as_default():
    results["input of a type that is none"] = tf.keras.Input((2,), dtype="").dtype.name
    for size in ["x", b"x", 2, [1]]:
        results["batch of %r" % (size,)] = kind_of(lambda: tf.keras.Input((2,), batch_size=size))
    results["batch of a tensor"] = kind_of(lambda: tf.keras.Input((2,), batch_size=tf.constant(2)))
    results["scattered scalar"] = kind_of(lambda: tf.scatter_nd([3], 1.0, [2]))
    results["scalar put"] = kind_of(lambda: tf.tensor_scatter_update([1.0, 2.0], [3], 1.0))
