"""Batch normalization on replicas that may have no rows, and one part of what a strategy's collectives reduce."""

import numpy as np
import tensorflow as tf
from tensorflow.python.distribute.collective_all_reduce_strategy import CollectiveAllReduceStrategy

results = {}
config = tf.ConfigProto(device_count={"CPU": 2})

# ---- moving averages stay where there are no rows, once the strategy says that this may be
for fused in (True, False):
    for name, settings in (("", {}), (" groups", {"virtual_batch_size": 1}), (" renorm", {"renorm": True})):
        if fused and settings:
            continue
        with tf.Graph().as_default():
            strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
            strategy.extended.experimental_enable_get_next_as_optional = True
            with strategy.scope():
                x = tf.placeholder(tf.float32, [None, 4, 4, 3] if fused else [None, 3])
                layer = tf.keras.layers.BatchNormalization(axis=-1, momentum=0.9, fused=fused, **settings)
                out = strategy.experimental_run_v2(lambda: layer(x, training=True))
                gradients = tf.gradients(tf.reduce_sum(out * out * x), [layer.gamma, layer.beta])
            with tf.Session(config=config) as sess:
                sess.run(tf.global_variables_initializer())
                for rows in (0, 2, 0):
                    shape = [rows] + x.shape.as_list()[1:]
                    fed = {x: np.arange(np.prod(shape)).reshape(shape) ** 0.5}
                    key = "fused %s%s" % (fused, name)
                    results.setdefault(key, []).append([sess.run(out, fed), sess.run(gradients, fed)])
                    sess.run(layer.updates, fed)
                    results[key].append(sess.run(layer.variables))

# ---- a layer by itself, and the gradients of the operation
with tf.Graph().as_default(), tf.Session() as sess:
    x, scale, offset = tf.placeholder(tf.float32, [None, 2, 2, 3]), tf.fill([3], 2.0), tf.zeros([3])
    for training in (True, False):
        given = {} if training else {"mean": offset, "variance": scale}
        made = tf.nn.fused_batch_norm(x, scale, offset, is_training=training, **given)
        gradients = tf.gradients(tf.reduce_sum(made[0] ** 2), [x, scale, offset])
        # Outside of training the moments that are given back are not written in 1.15.
        results["operation %s" % training] = sess.run(
            [list(made[: 3 if training else 1]), gradients], {x: np.zeros((0, 2, 2, 3))}
        )

# ---- collectives of two devices in one session, of which one is asked for
with tf.Graph().as_default():
    strategy = CollectiveAllReduceStrategy._from_local_devices(("/cpu:0", "/cpu:1"))
    with strategy.scope():

        def step():
            own = tf.Variable(
                1.0,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
                name="own",
            )
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            return tf.identity(own.assign_add(tf.cast(number, tf.float32) + 1.0))

        added = strategy.experimental_run_v2(step)
        total = strategy.reduce(tf.distribute.ReduceOp.SUM, added, axis=None)
        mean = strategy.reduce(tf.distribute.ReduceOp.MEAN, added, axis=None)
        read = strategy.extended.read_var(tf.global_variables()[0])
    results["replicas"] = strategy.num_replicas_in_sync
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        results["one of two"] = [sess.run(total), sess.run(mean), sess.run(read)]
