"""MirroredStrategy on two CPUs in a graph: names, collections, and the variables step by step under several optimizers."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
CONFIG = tf.ConfigProto(device_count={"CPU": 2})
generator = np.random.RandomState(3)
X = generator.rand(24, 4).astype(np.float32)
Y = generator.rand(24, 1).astype(np.float32)
WORDS = generator.randint(0, 7, [24, 3])

OPTIMIZERS = {
    "descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.05),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.05, momentum=0.5),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.2),
}


def strategies():
    return {
        "mirrored": tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
        "hierarchical": tf.distribute.MirroredStrategy(
            ["/cpu:0", "/cpu:1"], cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(num_packs=2)
        ),
        "central": tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0"),
        "one": tf.distribute.OneDeviceStrategy("/cpu:0"),
    }


def model(x, words):
    table = tf.get_variable("table", [7, 4], initializer=tf.constant_initializer(0.1), trainable=True)
    known = tf.reduce_mean(tf.nn.embedding_lookup(table, words), axis=1)
    hidden = tf.layers.dense(
        x + known, 5, tf.nn.tanh, kernel_initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=4), name="hidden"
    )
    return tf.layers.dense(hidden, 1, kernel_initializer=tf.constant_initializer(0.3), name="out")


def trained(which, make_optimizer, steps=4):
    """The losses and weights after each step."""
    with tf.Graph().as_default():
        tf.set_random_seed(11)
        strategy = strategies()[which]
        with strategy.scope():
            optimizer = make_optimizer()
            counter = tf.train.get_or_create_global_step()
            rows = tf.data.Dataset.from_tensor_slices((X, WORDS, Y)).repeat().batch(6)
            iterator = strategy.make_dataset_iterator(rows)

            def step(inputs):
                x, words, y = inputs
                loss = tf.reduce_mean(tf.square(model(x, words) - y)) / strategy.num_replicas_in_sync
                with tf.control_dependencies([optimizer.minimize(loss, counter)]):
                    return tf.identity(loss)

            losses = strategy.experimental_run_v2(step, args=(iterator.get_next(),))
            loss = strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
        variables = sorted(tf.global_variables(), key=lambda variable: variable.name)
        found = []
        with tf.Session(config=CONFIG) as sess:
            sess.run(iterator.initialize())
            sess.run(tf.global_variables_initializer())
            for _ in range(steps):
                found.append(
                    [
                        sess.run(loss),
                        *sess.run([strategy.experimental_local_results(v)[0] for v in tf.trainable_variables()]),
                    ]
                )
            every = sess.run([part for v in variables for part in strategy.experimental_local_results(v)])
        names = [part.name for v in variables for part in strategy.experimental_local_results(v)]
        return found, names, every


def record(key, found, names, every):
    for number, values in enumerate(found):
        for place, value in enumerate(values):
            results[f"{key}/{number}/{place}"] = value
    results[f"{key}/names"] = names
    for name, value in zip(names, every):
        results[f"{key}/end/{name}"] = value


for name, make in sorted(OPTIMIZERS.items()):
    record(f"mirrored/{name}", *trained("mirrored", make))
for name in ("hierarchical", "central", "one"):
    record(f"{name}/momentum", *trained(name, OPTIMIZERS["momentum"]))
