"""Names of layers while executing eagerly, variables as pickles, and assignments in functions that nothing reads."""

import pickle

import tensorflow as tf

tf.enable_eager_execution()
results = {}


def name_of_a_layer():
    return tf.keras.layers.Dense(1).name


results["names"] = [name_of_a_layer(), name_of_a_layer()]
with tf.Graph().as_default():
    results["in a graph"] = [name_of_a_layer(), name_of_a_layer()]
results["after the graph"] = name_of_a_layer()
tf.reset_default_graph()
results["after a reset"] = name_of_a_layer()

variable = tf.Variable([10.0, 3.0], name="outer/v", trainable=False, dtype=tf.float16)
again = pickle.loads(pickle.dumps(variable))
results["pickled"] = [again.name, again.dtype.name, again.shape.as_list(), again.numpy()]
variable.assign([0.0, 0.0])
results["apart"] = again.numpy()
variable.load([4.0, 5.0])
results["loaded"] = variable.numpy()
results["text"] = repr(tf.Variable("words"))


def refused(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "none"


results["no message"] = refused(variable.to_proto)


@tf.function
def quiet():
    variable.assign([1.0, 1.0])


@tf.function
def read():
    return variable.assign([2.0, 2.0]) + 1.0


results["reads"] = [
    [op.type for op in function.get_concrete_function().graph.get_operations()].count("ReadVariableOp")
    for function in (quiet, read)
]
quiet()
results["assigned"] = [variable.numpy(), read().numpy()]

handle = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[])
tf.raw_ops.AssignVariableOp(resource=handle, value=1)
try:
    tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
except tf.errors.InvalidArgumentError as error:
    results["wrong type"] = error.message.split(" [Op")[0]

module = tf.Module()
module.layer = tf.keras.layers.Dense(1)
module.layer(tf.ones([1, 2]))
results["of a layer in a module"] = [v.name.split("/")[-1] for v in module.variables]
