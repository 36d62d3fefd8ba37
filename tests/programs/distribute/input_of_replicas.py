"""Datasets under strategies: batches divided, batches dealt out, partial ones, metrics over all replicas, loops of steps."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
sess = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))
mirrored = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
contrib = tf.contrib.distribute.MirroredStrategy(devices=["/cpu:0", "/cpu:1"])
one = tf.distribute.OneDeviceStrategy("/cpu:0")


def elements(strategy, iterator, count=6):
    flat = [strategy.experimental_local_results(x) for x in tf.nest.flatten(iterator.get_next())]
    sess.run(iterator.initialize())
    found = []
    for _ in range(count):
        try:
            found.append([[np.asarray(part).tolist() for part in parts] for parts in sess.run(flat)])
        except tf.errors.OutOfRangeError:
            found.append("end")
            break
    return repr(found)


def numbers(count):
    return tf.data.Dataset.range(count)


DATASETS = {
    "even": lambda: numbers(16).batch(4),
    "partial": lambda: numbers(10).batch(8),
    "repeated": lambda: numbers(10).batch(8).repeat(2),
    "odd": lambda: numbers(10).batch(3),
    "dropped": lambda: numbers(20).batch(8, drop_remainder=True),
    "mapped": lambda: numbers(10).batch(8).map(lambda x: {"x": x, "n": x * 0 + tf.cast(tf.size(x), tf.int64)}),
    "pairs": lambda: tf.data.Dataset.zip((numbers(8), numbers(8).map(lambda x: tf.stack([x, -x])))).batch(4),
}
for name, make in sorted(DATASETS.items()):
    for kind, strategy in (("mirrored", mirrored), ("contrib", contrib), ("one", one)):
        with strategy.scope():
            results[f"{kind}/{name}"] = elements(strategy, strategy.make_dataset_iterator(make()))
    with mirrored.scope():
        results[f"distributed/{name}"] = elements(
            mirrored, mirrored.experimental_distribute_dataset(make()).make_initializable_iterator()
        )


def input_fn(context):
    results["context"] = [context.num_input_pipelines, context.input_pipeline_id, context.num_replicas_in_sync]
    return numbers(9).batch(context.get_per_replica_batch_size(4))


results["input_fn"] = elements(mirrored, mirrored.make_input_fn_iterator(input_fn))
results["function"] = elements(mirrored, mirrored.make_input_fn_iterator(lambda _: lambda: tf.constant([1, 2])), 2)
with mirrored.scope():
    rows = mirrored.experimental_make_numpy_dataset(np.arange(8.0, dtype=np.float32).reshape(4, 2), session=sess)
    results["numpy"] = elements(mirrored, mirrored.make_dataset_iterator(rows.batch(2)))

LABELS = np.array([0, 1, 1, 0, 1, 1, 0, 1], np.int64)
GUESSES = np.array([0, 1, 0, 0, 1, 0, 1, 1], np.int64)
METRICS = {
    "accuracy": tf.metrics.accuracy,
    "precision": tf.metrics.precision,
    "recall": tf.metrics.recall,
    "mean error": tf.metrics.mean_absolute_error,
    "root": lambda labels, guesses: tf.metrics.root_mean_squared_error(tf.to_float(labels), tf.to_float(guesses)),
    "auc": tf.metrics.auc,
    "iou": lambda labels, guesses: tf.metrics.mean_iou(labels, guesses, 2),
    "false negatives": tf.metrics.false_negatives,
    "per class": lambda labels, guesses: tf.metrics.mean_per_class_accuracy(labels, guesses, 2),
    "mean": lambda labels, guesses: tf.metrics.mean(tf.to_float(guesses)),
}
for name, metric in sorted(METRICS.items()):
    with mirrored.scope():
        iterator = mirrored.make_dataset_iterator(tf.data.Dataset.from_tensor_slices((LABELS, GUESSES)).batch(4))
        value, update = mirrored.experimental_run_v2(lambda pair: metric(*pair), args=(iterator.get_next(),))
        group = mirrored.group(update)
    sess.run([iterator.initialize(), tf.local_variables_initializer()])
    for step in range(2):
        sess.run(group)
        results[f"metric/{name}/{step}"] = sess.run(mirrored.experimental_local_results(value)[0])

with mirrored.scope():
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    optimizer = tf.train.GradientDescentOptimizer(0.01)
    iterator = mirrored.make_dataset_iterator(tf.data.Dataset.range(32).map(tf.to_float).repeat().batch(4))

    def one_step(context, batch):
        def of_replica(x):
            loss = tf.reduce_mean(tf.square(weight * x - 1.0))
            return loss, optimizer.minimize(loss)

        loss, train = mirrored.experimental_run_v2(of_replica, args=(batch,))
        context.set_last_step_output("loss", loss, tf.distribute.ReduceOp.MEAN)
        context.set_last_step_output("losses", loss)
        return mirrored.group(train)

    made = mirrored.extended.experimental_run_steps_on_iterator(
        one_step, iterator, 3, {"loss": tf.constant(0.0), "losses": (tf.constant(0.0), tf.constant(0.0))}
    )
sess.run([iterator.initialize(), tf.global_variables_initializer()])
outputs = made.last_step_outputs
for step in range(2):
    _, loss, losses = sess.run([made.run_op, outputs["loss"], mirrored.experimental_local_results(outputs["losses"])])
    results[f"steps/{step}"] = [loss, *losses, *sess.run(list(weight.values))]
