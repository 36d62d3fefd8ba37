"""Seeds that follow from the number of operations: weights and losses of replicas, with inputs of all kinds and strategies."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
generator = np.random.RandomState(0)
X = generator.randn(64, 3).astype(np.float32)
Y = generator.randint(0, 2, (64, 1)).astype(np.float32)
TWO = ["/cpu:0", "/cpu:1"]
TWO_CPUS = tf.ConfigProto(device_count={"CPU": 2})


def inputs_of(strategy, kind, dataset):
    if kind == "dataset":
        return strategy.make_dataset_iterator(dataset)
    if kind == "distributed":
        return strategy.experimental_distribute_dataset(dataset).make_initializable_iterator()
    return strategy.make_input_fn_iterator(lambda context: dataset)


def names(graph):
    return [op.name for op in graph.get_operations()]


def trained(strategy, kind):
    with tf.Graph().as_default() as graph, strategy.scope():
        tf.set_random_seed(7)
        dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8).repeat()
        iterator = inputs_of(strategy, kind, dataset)

        def step(element):
            x, y = element
            hidden = tf.nn.dropout(tf.layers.dense(x, 4, tf.nn.relu), rate=0.25)
            loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1) - y))
            tf.summary.scalar("loss", loss)
            tf.summary.histogram("hidden", hidden)
            tf.summary.merge([tf.summary.image("nothing", tf.zeros([1, 2, 2, 1]))])
            with tf.control_dependencies([tf.train.GradientDescentOptimizer(0.1).minimize(loss)]):
                return tf.identity(loss)

        losses = strategy.experimental_run_v2(step, args=(iterator.get_next(),))
        loss = strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)
        begin = iterator.initialize()
        with tf.Session(config=TWO_CPUS) as session:
            session.run([begin, tf.global_variables_initializer()])
            return {
                "names": names(graph),
                "losses": [float(session.run(loss)) for _ in range(4)],
                "summaries": len(tf.get_collection(tf.GraphKeys.SUMMARIES)),
            }


for kind in ("dataset", "distributed", "function"):
    results["two replicas, " + kind] = trained(tf.distribute.MirroredStrategy(TWO), kind)
    results["one replica, " + kind] = trained(tf.distribute.MirroredStrategy(TWO[:1]), kind)
    results["one device, " + kind] = trained(tf.distribute.OneDeviceStrategy("/cpu:0"), kind)
    results["central storage, " + kind] = trained(tf.distribute.experimental.CentralStorageStrategy(TWO), kind)


def iterated(strategy, kind):
    with tf.Graph().as_default() as graph, strategy.scope():
        inputs_of(strategy, kind, tf.data.Dataset.range(8).batch(4)).get_next()
        return names(graph)


OTHERS = {
    "parameter servers": tf.distribute.experimental.ParameterServerStrategy(),
    "earlier mirrored": tf.contrib.distribute.MirroredStrategy(TWO),
    "earlier one device": tf.contrib.distribute.OneDeviceStrategy("/cpu:0"),
}
for name, strategy in OTHERS.items():
    for kind in ("dataset", "distributed", "function"):
        results["%s, %s" % (name, kind)] = iterated(strategy, kind)


class Names(tf.train.SessionRunHook):
    def begin(self):
        # What the session adds comes before this in one of them, and after it in the other.
        results.setdefault("estimator", names(tf.get_default_graph())[:880])


def few():
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y.astype(np.int64))).batch(8).repeat()


estimator = tf.estimator.DNNClassifier(
    [4],
    [tf.feature_column.numeric_column("x", shape=(3,))],
    dropout=0.25,
    config=tf.estimator.RunConfig(
        tempfile.mkdtemp(),
        tf_random_seed=3,
        train_distribute=tf.distribute.MirroredStrategy(TWO),
        session_config=TWO_CPUS,
    ),
)
estimator.train(few, hooks=[Names()], steps=3)
for name in sorted(estimator.get_variable_names()):
    results["variable/" + name] = estimator.get_variable_value(name)
