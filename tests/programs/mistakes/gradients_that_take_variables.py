"""Custom gradients that take variables where there are none, and other values that are refused by their kind."""

import tensorflow as tf

results = {}
x = tf.constant(2.0)


def outcome(key, make):
    try:
        results[key] = getattr(make(), "name", "made")
    except Exception as error:
        results[key] = type(error).__name__


def keywords(a):
    return a * a, lambda upstream, **rest: upstream * 5.0


def variables(a):
    return a * a, lambda upstream, variables=None: upstream * 5.0


for place in ("outside", "resources"):
    with tf.variable_scope(place, use_resource=place == "resources"):
        outcome(place + " keywords", lambda: tf.custom_gradient(keywords)(x))
        outcome(place + " variables", lambda: tf.custom_gradient(variables)(x))
        outcome(place + " anew", lambda: tf.recompute_grad(lambda a: a * a)(x))
        outcome(place + " passed", lambda: tf.grad_pass_through(lambda a: a * a)(x))

outcome("dimension float", lambda: tf.convert_to_tensor(tf.Dimension(3), tf.float32))
outcome("dimension int64", lambda: tf.convert_to_tensor(tf.Dimension(3), tf.int64))
outcome("constant dimension", lambda: tf.constant(tf.Dimension(3), tf.float32))
outcome("from_proto", lambda: tf.Variable.from_proto(None))
for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.uint8, tf.int32, tf.bool, tf.complex64):
    try:
        results["limits of " + dtype.name] = [float(limit) for limit in dtype.limits]
    except KeyError:
        results["limits of " + dtype.name] = "KeyError"

sparse = tf.SparseTensor([[0]], [1], [2])
alone = tf.train.batch([sparse], 2)
results["alone"] = [t.name for t in (alone.indices, alone.values, alone.dense_shape)]
paired = tf.train.batch([sparse, tf.constant(1)], 2)
results["paired"] = [t.name for t in (paired[0].indices, paired[0].values, paired[1])]

handle = tf.placeholder(tf.string, [], name="handle")
tf.data.Iterator.from_string_handle(handle, tf.int64, [])
bound = tf.data.Iterator.from_structure(tf.int64, [])
bound.make_initializer(tf.data.Dataset.range(3), name="bind")
nodes = tf.get_default_graph().as_graph_def().node
results["devices"] = sorted(
    f"{node.op} {node.device}" for node in nodes if node.op.startswith(("Iterator", "MakeIterator"))
)
