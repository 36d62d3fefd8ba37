"""Moving averages that replicas keep: of variables and of values, with and without the bias, under every strategy."""

import tensorflow as tf
from tensorflow.python.training import moving_averages

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
STRATEGIES = {
    "one of one": lambda: tf.distribute.MirroredStrategy(["/cpu:0"]),
    "two": lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
    "central": lambda: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0"),
    "workers": lambda: tf.distribute.experimental.MultiWorkerMirroredStrategy(),
    "servers": lambda: tf.distribute.experimental.ParameterServerStrategy(),
    "one device": lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
}


def number():
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def kept(strategy, build):
    """What replicas returned after two steps, and all variables."""
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        returned = strategy.experimental_local_results(build)
        sess.run(tf.global_variables_initializer())
        steps = [sess.run(returned) for _ in range(2)]
        names = sorted(v.name for v in tf.global_variables())
        values = dict(zip([v.name for v in tf.global_variables()], sess.run(tf.global_variables())))
        return [[list(step) for step in steps if step[0] is not None], [[name, values[name]] for name in names]]


for label, make in STRATEGIES.items():
    for debiased in (False, True):
        with tf.Graph().as_default():
            strategy = make()
            with strategy.scope():

                def value_of_replicas():
                    average = tf.get_variable("average", initializer=1.0, trainable=False)
                    return moving_averages.assign_moving_average(average, number() + 1.5, 0.5, zero_debias=debiased)

                made = strategy.experimental_run_v2(value_of_replicas)
                results[f"value {label} {debiased}"] = kept(strategy, made)
        with tf.Graph().as_default():
            strategy = make()
            with strategy.scope():
                average = tf.get_variable("average", initializer=1.0, trainable=False)
                made = moving_averages.assign_moving_average(average, 2.5, 0.5, zero_debias=debiased)
                results[f"across {label} {debiased}"] = kept(strategy, made)
    with tf.Graph().as_default():
        strategy = make()
        with strategy.scope():
            v = tf.get_variable("v", initializer=1.0, aggregation=tf.VariableAggregation.MEAN)
            averages = tf.train.ExponentialMovingAverage(0.5)

            def variable_of_replicas():
                with tf.control_dependencies([v.assign_add(number() + 1.0)]):
                    return averages.apply([v])

            made = strategy.experimental_run_v2(variable_of_replicas)
            results[f"variable {label}"] = kept(strategy, made)[1]
    with tf.Graph().as_default():
        strategy = make()
        with strategy.scope():

            def weighted():
                return moving_averages.weighted_moving_average(number() + 1.5, 0.5, tf.constant(2.0))

            results[f"weighted {label}"] = kept(strategy, strategy.experimental_run_v2(weighted))
