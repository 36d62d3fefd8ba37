"""tf.Module, its members on layers, cells and operators; tf.config."""

import tensorflow as tf

results = {}


def outcome(function, *args):
    try:
        made = function(*args)
        return [str(item) for item in made] if isinstance(made, list) else str(made)
    except (ValueError, KeyError, RuntimeError, AttributeError) as error:
        return type(error).__name__


class Net(tf.Module):
    def __init__(self, name=None):
        super(Net, self).__init__(name)
        self.w = tf.Variable(1.0, name="w")
        self.parts = [tf.Variable(2.0, trainable=False, name="fixed"), {"a": tf.Module("inner")}]
        self.sub = tf.Module("s")

    @tf.Module.with_name_scope
    def make(self):
        return tf.constant(1.0)


def names(items):
    return [item.name for item in items]


class FooBarHTTPServer(tf.Module):
    pass


net = Net()
results["name"] = [net.name, FooBarHTTPServer().name, Net("other").name]
results["variables"] = [names(net.variables), names(net.trainable_variables)]
results["submodules"] = names(net.submodules)
results["scopes"] = [net.make().name, net.make().name, Net().make().name]
results["bad name"] = outcome(Net, "a b")
net.sub.deeper = Net("deeper")
results["deeper"] = [names(net.submodules), names(net.variables)]
with net.name_scope as scope:
    results["scope"] = scope

cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.LSTMCell(2)])
results["cells"] = [type(item).__name__ for item in cell.submodules]
dense = tf.layers.Dense(3)
results["layer"] = [len(dense.submodules), outcome(lambda: dense.name_scope)]
variable = tf.Variable([1.0, 2.0], name="diagonal")
operator = tf.linalg.LinearOperatorDiag(variable)
both = tf.linalg.LinearOperatorComposition([operator, tf.linalg.LinearOperatorIdentity(2)])
results["operators"] = [
    names(operator.variables),
    names(both.trainable_variables),
    [type(item).__name__ for item in both.submodules],
    [type(item).__name__ for item in operator.submodules],
]

config = tf.config.experimental
cpu = config.list_physical_devices("CPU")[0]
results["devices"] = [str(cpu), outcome(config.get_visible_devices, "CPU")]
results["growth"] = [outcome(config.get_memory_growth, cpu), outcome(config.set_memory_growth, cpu, True)]
results["growth of none"] = outcome(config.set_memory_growth, "x", True)
results["virtual"] = outcome(config.get_virtual_device_configuration, cpu)
results["virtual set"] = outcome(
    config.set_virtual_device_configuration, cpu, [config.VirtualDeviceConfiguration(memory_limit=5)]
)
results["visible"] = [outcome(config.set_visible_devices, "x"), outcome(config.set_visible_devices, cpu)]
results["policy"] = [config.get_device_policy(), outcome(config.set_device_policy, "x")]
config.set_device_policy("warn")
results["policy set"] = config.get_device_policy()
results["synchronous"] = config.get_synchronous_execution()
results["jit"] = tf.config.optimizer.get_jit()
tf.config.optimizer.set_jit(True)
results["jit set"] = tf.config.optimizer.get_jit()
results["optimizer"] = sorted(tf.config.optimizer.get_experimental_options().items())
tf.config.optimizer.set_experimental_options({"constant_folding": False})
results["optimizer set"] = sorted(tf.config.optimizer.get_experimental_options().items())
results["soft"] = tf.config.get_soft_device_placement()
tf.config.set_soft_device_placement(True)
results["soft set"] = tf.config.get_soft_device_placement()
results["threads"] = [
    tf.config.threading.get_inter_op_parallelism_threads(),
    tf.config.threading.get_intra_op_parallelism_threads(),
]
tf.config.threading.set_intra_op_parallelism_threads(1)
results["threads set"] = tf.config.threading.get_intra_op_parallelism_threads()
results["log"] = tf.debugging.get_log_device_placement()
results["logical"] = outcome(config.list_logical_devices, "CPU")
results["too late"] = [
    outcome(tf.config.threading.set_inter_op_parallelism_threads, 3),
    outcome(config.set_visible_devices, [], "CPU"),
    outcome(tf.debugging.set_log_device_placement, True),
]
