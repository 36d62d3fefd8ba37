"""Eagerly, collections hold what is put there and what the library puts there; functions see copies of most."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
graph = tf.get_default_graph()


def named(key):
    return [
        getattr(item, "name", item) if isinstance(item, (tf.Variable, int)) else "a value"
        for item in graph.get_collection(key)
    ]


def contents():
    return [[key, named(key)] for key in sorted(graph.get_all_collection_keys()) if graph.get_collection(key)]


for key in ("mine", tf.GraphKeys.LOSSES, tf.GraphKeys.SUMMARIES):
    tf.add_to_collection(key, 1)
    graph.add_to_collection(key, 2)
    tf.get_collection_ref(key).append(3)
results["put there"] = contents()
for key in graph.get_all_collection_keys():
    graph.clear_collection(key)

alone = tf.Variable(1.0, collections=["mine", tf.GraphKeys.LOSSES])
found = tf.get_variable("found", [2], collections=["mine"])
local = tf.get_local_variable("local", [2])
model = tf.contrib.framework.model_variable("model", [2])
dense = tf.layers.dense(tf.ones([1, 2]), 2)
tf.losses.mean_squared_error([1.0], [2.0])
tf.losses.add_loss(tf.constant(1.0), loss_collection="mine")
results["variables and losses"] = contents()
tf.contrib.losses.add_loss(tf.constant(1.0))
tf.summary.scalar("one", 1.0)
tf.summary.scalar("two", 1.0, collections=["mine"])
tf.contrib.layers.fully_connected(tf.ones([1, 2]), 2, outputs_collections="outputs", variables_collections=["weights"])
tf.contrib.layers.batch_norm(tf.ones([2, 2]), scope="norm")
tf.train.ExponentialMovingAverage(0.5).apply([tf.Variable(1.0, name="averaged")])
table = tf.contrib.lookup.index_table_from_tensor(["a"])
results["layers, summaries, tables"] = contents()
step = tf.train.get_or_create_global_step()
results["the step"] = [tf.train.get_or_create_global_step() is step, tf.train.get_global_step() is step]
for key in graph.get_all_collection_keys():
    graph.clear_collection(key)

with tf.contrib.eager.EagerVariableStore().as_default():
    tf.get_variable("kept", [1])
    tf.get_variable("chosen", [1], collections=["mine"])
    tf.get_variable("fixed", [1], trainable=False)
    tf.get_local_variable("kept_local", [1])
    tf.layers.dense(tf.ones([1, 2]), 2, name="layer")
    tf.contrib.framework.model_variable("kept_model", [1])
results["a store of eager variables"] = contents()

made = []


def function(x):
    if not made:
        made.append(tf.Variable(1.0, name="inner"))
    tf.add_to_collection("mine", 5)
    tf.add_to_collection(tf.GraphKeys.LOSSES, 6)
    inner = tf.get_default_graph()
    results["in a function"] = [
        sorted(inner.get_all_collection_keys()),
        [str(getattr(item, "name", item)) for item in tf.get_collection("mine")],
        tf.get_collection(tf.GraphKeys.LOSSES),
    ]
    return x


tf.function(function)(1.0)
results["after the function"] = contents()

with tf.Graph().as_default() as graph:
    tf.add_to_collection("mine", 1)
    tf.add_to_collection(tf.GraphKeys.LOSSES, 2)
    tf.contrib.eager.defun(function)(1.0)
    results["after a function of a graph"] = contents()
