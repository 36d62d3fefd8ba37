"""The small models that strategies of 1.15 are tested on, trained in a graph; and what Keras refuses under a strategy."""

import tensorflow as tf
from tensorflow.python.distribute import single_loss_example
from tensorflow.python.keras.distribute import distributed_training_utils

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}


def descent():
    return tf.train.GradientDescentOptimizer(0.2)


def distance(layer):
    return tf.abs(tf.reduce_sum(layer.kernel) + (tf.reduce_sum(layer.bias) if layer.use_bias else 0.0) - 1.0)


def trained(make, observed):
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with tf.Graph().as_default(), strategy.scope():
        model_fn, dataset_fn, layer = make()
        iterator = strategy.make_dataset_iterator(dataset_fn())
        step = strategy.experimental_run_v2(model_fn, args=(iterator.get_next(),))
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        seen = observed(layer)
        with tf.Session() as sess:
            sess.run(iterator.initialize())
            sess.run(tf.global_variables_initializer())
            found = [sess.run(seen)]
            for _ in range(4):
                sess.run([step, updates])
                found.append(sess.run(seen))
            return found


def shrinks(found):
    return sorted(found, reverse=True) == found and found[-1] < 0.2 * found[0]


for use_bias in (False, True):
    for use_callable in (False, True):
        found = trained(lambda: single_loss_example.minimize_loss_example(descent(), use_bias, use_callable), distance)
        results["minimized %s %s" % (use_bias, use_callable)] = shrinks(found)
results["normalized"] = trained(
    lambda: single_loss_example.batchnorm_example(descent, batch_per_epoch=2, momentum=0.8),
    lambda layer: [layer.moving_mean, layer.moving_variance],
)
strategy = tf.contrib.distribute.OneDeviceStrategy("/cpu:0")
with tf.Graph().as_default(), strategy.scope():
    step, layer = single_loss_example.single_loss_example(descent, strategy, use_bias=True, iterations_per_step=2)
    train = step()
    away = distance(layer)
    with tf.Session() as sess:
        sess.run(step.initialize())
        sess.run(tf.global_variables_initializer())
        found = [sess.run(away)]
        for _ in range(3):
            sess.run(train)
            found.append(sess.run(away))
    results["steps"] = shrinks(found)


def refusal(act):
    try:
        act()
    except (NotImplementedError, ValueError) as error:
        return type(error).__name__
    return None


def compiled(model, **arguments):
    with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        model().compile("sgd", "mse", **arguments)


class Subclassed(tf.keras.Model):
    def call(self, inputs):
        return inputs


def deferred():
    return tf.keras.Sequential([tf.keras.layers.Dense(2)])


def known():
    return tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(2,))])


callbacks = [tf.keras.callbacks.ReduceLROnPlateau(), tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.1)]
for optimizer in (tf.train.AdamOptimizer(), tf.keras.optimizers.SGD()):
    results["callbacks " + type(optimizer).__name__] = [
        refusal(lambda: distributed_training_utils.validate_callbacks([callback], optimizer)) for callback in callbacks
    ]
results["compiled"] = [
    refusal(lambda: compiled(Subclassed)),
    refusal(lambda: compiled(deferred)),
    refusal(lambda: compiled(known)),
    refusal(lambda: compiled(known, sample_weight_mode="temporal")),
    refusal(lambda: compiled(known, weighted_metrics=["mse"])),
    refusal(lambda: compiled(known, target_tensors=[tf.zeros([2, 2])])),
]
