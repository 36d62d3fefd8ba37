"""tf.contrib.eager: metrics, networks and their checkpoints, stores of variables, templates, callbacks."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
results = {}


def failing(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except Exception as error:
        return type(error).__name__
    return "none"


results["names"] = [
    n
    for n in dir(tfe)
    if not n.startswith("_") and n not in ("absolute_import", "division", "print_function", "ParameterServer")
]

# Metrics.
mean = tfe.metrics.Mean(name="my mean")
returned = mean(tf.constant([1.0, 3.0, 5.0]))
mean(9.0)
results["mean"] = mean.result().numpy()
results["mean returned"] = np.array(returned)
results["mean name"] = mean.name
results["mean variables"] = [v.name for v in mean.variables]
results["mean dtype"] = mean.result().dtype.name
mean.init_variables()
mean([2.0, 4.0], weights=[3.0, 1.0])
results["mean weighted"] = mean.result().numpy()
results["mean value"] = mean.value()().numpy()
again = tfe.metrics.Mean(name="my mean")
again(1.0)
results["again name"] = again.name
other = tfe.metrics.Mean("my mean")
other(4.0)
accuracy = tfe.metrics.Accuracy()
accuracy([0, 1, 2, 3], [0, 0, 2, 3])
results["accuracy"] = accuracy.result().numpy()
results["accuracy unequal"] = failing(accuracy, [0, 1], [1])
binary = tfe.metrics.BinaryAccuracy(threshold=0.5, dtype=tf.float32)
binary([[0.0, 1.0], [1.0, 1.0]], [[0.2, 0.7], [0.4, 0.9]], weights=[[1.0, 1.0], [3.0, 1.0]])
results["binary"] = binary.result().numpy()
categorical = tfe.metrics.CategoricalAccuracy("cat")
categorical([[0, 1, 0], [1, 0, 0]], [[0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
results["categorical"] = categorical.result().numpy()
sparse = tfe.metrics.SparseAccuracy()
sparse([1, 0, 2], [[0.1, 0.9, 0.0], [0.8, 0.1, 0.1], [0.9, 0.1, 0.0]])
results["sparse"] = sparse.result().numpy()
results["no build"] = failing(tfe.metrics.Metric("m"), 1.0)
results["add late"] = failing(mean.add_variable, "late")


class Largest(tfe.metrics.Metric):
    def build(self, values):
        self.seen = self.add_variable("seen", (), tf.float32, tf.constant_initializer(-1.0))

    def call(self, values):
        self.seen.assign(tf.maximum(self.seen, tf.reduce_max(values)))

    def result(self):
        return self.seen.read_value()


largest = Largest()
largest([1.0, 7.0])
largest([3.0])
results["largest"] = [largest.result().numpy(), largest.name, largest.variables[0].name]
largest.init_variables()
results["largest reset"] = largest.result().numpy()

with tf.Graph().as_default():
    metric = tfe.metrics.Mean()
    fed = tf.placeholder(tf.float32)
    update = metric(fed)
    initial = metric.init_variables()
    final = metric.result()
    results["graph variables"] = [v.name for v in tf.local_variables()]
    with tf.Session() as session:
        session.run(initial)
        for value in (1.0, 2.0, 6.0):
            session.run(update, {fed: value})
        results["graph mean"] = session.run(final)

# Networks.


class Inner(tfe.Network):
    def __init__(self):
        super(Inner, self).__init__()
        self.one = self.track_layer(tf.layers.Dense(2, kernel_initializer=tf.ones_initializer()))

    def call(self, x):
        return self.one(x)


class Outer(tfe.Network):
    def __init__(self, name=None):
        super(Outer, self).__init__(name=name)
        self.inner = self.track_layer(Inner())
        self.last = self.track_layer(tf.layers.Dense(1, kernel_initializer=tf.ones_initializer()))
        self.more = self.track_layer(tf.layers.Dense(1, use_bias=False, kernel_initializer=tf.ones_initializer()))

    def call(self, x):
        return self.more(self.last(self.inner(x)))


net = Outer()
results["net unnamed"] = failing(lambda: net.name)
out = net(tf.constant([[1.0, 2.0, 3.0]]))
results["net out"] = out.numpy()
results["net names"] = [net.name, net.scope_name] + [v.name for v in net.variables]
results["net layers"] = [layer.name for layer in net.layers]
results["net get_layer"] = net.get_layer(index=1) is net.last
results["net no layer"] = failing(net.get_layer, "nothing")
second = Outer()
second(tf.ones([1, 3]))
results["second names"] = [v.name for v in second.variables]
named = Outer(name="given")
named(tf.ones([1, 3]))
results["named"] = [v.name for v in named.variables]
results["taken"] = failing(Outer(name="given"), tf.ones([1, 3]))
results["slash"] = failing(Outer, "a/b")
results["no trainable"] = failing(setattr, net, "trainable", False)
with tf.variable_scope("around"):
    inside = Outer()
    inside(tf.ones([1, 3]))
results["inside"] = [inside.name] + [v.name for v in inside.variables]

net.variables[0].assign([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
folder = tempfile.mkdtemp()
path = tfe.save_network_checkpoint(net, folder)
results["saved as"] = os.path.relpath(path, folder)
results["saved"] = [name for name, _ in tf.train.list_variables(path)]
fresh = Outer()
tfe.restore_network_checkpoint(fresh, path)
results["restored later"] = fresh(tf.constant([[1.0, 2.0, 3.0]])).numpy()
tfe.restore_network_checkpoint(second, path)
results["restored now"] = second.variables[0].numpy()
results["unbuilt"] = failing(tfe.save_network_checkpoint, Outer(), folder)
results["conflict"] = failing(tfe.save_network_checkpoint, net, folder, map_func=lambda name: "same")

layers = tfe.Sequential(
    [tf.layers.Dense(2, kernel_initializer=tf.ones_initializer()), tf.nn.relu, tf.layers.Dropout(0.5)]
)
results["sequential"] = layers(tf.constant([[1.0, -3.0]]), training=False).numpy()
results["sequential names"] = [v.name for v in layers.variables]
results["sequential number"] = failing(layers.add, 3)

# A store of variables.
store = tfe.EagerVariableStore()
for _ in range(2):
    with store.as_default():
        made = tf.layers.dense(tf.ones([1, 2]), 3, name="l1", kernel_initializer=tf.ones_initializer())
        tf.get_variable("untrained", [], trainable=False)
results["store"] = [v.name for v in store.variables()]
results["store trainable"] = [v.name for v in store.trainable_variables()]
results["store others"] = [v.name for v in store.non_trainable_variables()]
copied = store.copy()
copied.variables()[0].assign_add([1.0, 1.0, 1.0])
results["store copy"] = [store.variables()[0].numpy(), copied.variables()[0].numpy()]


def unstored():
    with tf.variable_scope("s", reuse=True):
        tf.get_variable("v", [])


results["reuse"] = failing(unstored)

# Templates.


def scaled(x):
    return x * tf.get_variable("by", [], initializer=tf.constant_initializer(3.0))


template = tf.make_template("template", scaled)
results["template"] = [template(2.0).numpy(), template(3.0).numpy()]
results["template variables"] = [v.name for v in template.variables]
results["template trainable"] = [v.name for v in template.trainable_variables]
results["template type"] = type(template).__name__
traced = tfe.make_template("traced", scaled, create_graph_function_=True)
results["traced"] = [traced(tf.constant(2.0)).numpy(), traced(tf.constant(4.0)).numpy()]
results["unique"] = failing(tf.make_template, "n", scaled, unique_name_="u")
count = []


def growing(x):
    count.append(tf.get_variable("v%d" % len(count), []))
    return x


bad = tf.make_template("bad", growing)
bad(1.0)
results["growing"] = failing(bad, 1.0)

# Callbacks.
seen = []


def watch(op_type, inputs, attrs, outputs, op_name):
    seen.append((op_type, len(inputs), len(outputs), outputs[0].numpy()))


a, b, zero = tf.constant(3.0), tf.constant(2.0), tf.constant(0.0)
tfe.add_execution_callback(watch)
tf.pow(a, b)
tf.multiply(a, b)
tfe.clear_execution_callbacks()
tf.multiply(a, b)
results["callbacks"] = [list(entry) for entry in seen]
results["seterr"] = tfe.seterr(inf_or_nan=tfe.ExecutionCallback.RAISE)["inf_or_nan"].value
results["inf"] = failing(lambda: a / zero)
results["nan"] = failing(lambda: zero / zero)
results["finite"] = failing(lambda: a / b)
results["seterr before"] = tfe.seterr(inf_or_nan="ignore")["inf_or_nan"].value
results["ignored"] = failing(lambda: a / zero)
with tfe.errstate(inf_or_nan=tfe.ExecutionCallback.RAISE):
    results["errstate"] = failing(lambda: tf.log(zero))
results["after errstate"] = failing(lambda: tf.log(zero))
results["bad action"] = failing(tfe.seterr, inf_or_nan="shout")
tfe.add_execution_callback(tfe.nan_callback)
results["nan only"] = [failing(lambda: a / zero), failing(lambda: zero / zero)]
tfe.clear_execution_callbacks()
tfe.add_execution_callback(tfe.inf_callback)
results["inf only"] = [failing(lambda: a / zero), failing(lambda: zero / zero)]
try:
    a / zero
except Exception as error:
    results["inf message"] = str(error).split("contains")[1]
tfe.clear_execution_callbacks()
with tfe.execution_mode(tfe.SYNC):
    tfe.async_wait()
results["mode"] = failing(tfe.set_execution_mode, 7)
