"""Datasets that a function makes, whose elements two devices get in turn: eagerly, in functions and in their loops."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
cpu = tf.config.experimental.list_physical_devices("CPU")[0]
devices = [tf.config.experimental.VirtualDeviceConfiguration() for _ in range(2)]
tf.config.experimental.set_virtual_device_configuration(cpu, devices)
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
MAKERS = {
    "short end": lambda context: tf.data.Dataset.range(5).batch(2),
    "no short end": lambda context: tf.data.Dataset.range(5).batch(2, drop_remainder=True),
    "told": lambda context: tf.data.Dataset.range(6).batch(context.get_per_replica_batch_size(4)),
    "rows": lambda context: tf.data.Dataset.from_tensor_slices((tf.ones([3, 2]), [1, 2, 3])).batch(1),
}


def local(value):
    return [part.numpy().tolist() for part in strategy.experimental_local_results(value)]


def total(element):
    return tf.add_n([tf.reduce_sum(tf.cast(part, tf.float32)) for part in tf.nest.flatten(element)])


for name in sorted(MAKERS):
    dataset = strategy.experimental_distribute_datasets_from_function(MAKERS[name])
    results[name] = [local(strategy.experimental_run_v2(total, args=(element,))) for element in dataset]

    @tf.function
    def summed(dataset):
        found = tf.constant(0.0)
        for element in dataset:
            found += strategy.reduce("sum", strategy.experimental_run_v2(total, args=(element,)), axis=None)
        return found

    results[name + ", summed"] = [float(summed(dataset)) for _ in range(2)]
    iterator = iter(dataset)

    @tf.function
    def step(iterator):
        return strategy.experimental_run_v2(total, args=(next(iterator),))

    steps = []
    try:
        while True:
            steps.append(local(step(iterator)))
    except tf.errors.OutOfRangeError:
        steps.append("end")
    results[name + ", stepwise"] = steps

iterator = strategy.make_input_fn_iterator(lambda context: tf.data.Dataset.range(4).batch(2))
results["begun again"] = [local(iterator.get_next()), iterator.initialize(), local(iterator.get_next())]


def outcome(act):
    try:
        return act()
    except Exception as error:
        return type(error).__name__


results["initializable"] = outcome(lambda: dataset.make_initializable_iterator())
replicas = tf.distribute.get_replica_context
for value in (1.0, tf.constant(1.0)):
    name = "reduced number" if isinstance(value, float) else "reduced tensor"
    results[name] = outcome(lambda: local(strategy.experimental_run_v2(lambda: replicas().all_reduce("sum", value))))
