"""tf.contrib.training's samplers, with probabilities that leave nothing to chance where values are compared."""

import numpy as np
import tensorflow as tf

results = {}


def ran(fetches, steps):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        values = [sess.run(fetches) for _ in range(steps)]
        coord.request_stop()
        coord.join(threads)
    return values


def names():
    return sorted(qr.name for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))


with tf.Graph().as_default():
    label = tf.train.input_producer([0, 1, 2, 1], shuffle=False).dequeue()
    data = tf.cast(label, tf.float32) * 10.0
    batches, labels = tf.contrib.training.stratified_sample(
        [data], label, [0.0, 0.0, 1.0], 4, init_probs=[0.25, 0.5, 0.25]
    )
    results["stratified"] = [[d.tolist(), kept.tolist()] for [d], kept in ran([batches, labels], 3)]
    results["stratified names"] = [names(), labels.name, str(labels.shape), str(batches[0].shape)]

with tf.Graph().as_default():
    rows = tf.train.input_producer(np.arange(6).reshape(3, 2), shuffle=False).dequeue()
    batches, labels = tf.contrib.training.stratified_sample(
        [rows, tf.stack([rows, rows], 1)], rows % 2, [1.0, 0.0], 3, enqueue_many=True
    )
    for [row, pair], label in ran([batches, labels], 2):
        results.setdefault("estimated", []).append([sorted(set((row % 2).tolist())), pair.shape, label.tolist()])
    results["estimated variables"] = [[v.name, v.dtype.name, str(v.shape)] for v in tf.global_variables()]

with tf.Graph().as_default():
    number = tf.train.input_producer(np.arange(8.0, dtype=np.float32), shuffle=False).dequeue()
    even = tf.contrib.training.rejection_sample(
        [number], lambda parts: tf.cast(tf.equal(parts[0] % 2, 0), tf.float32), 3, runtime_checks=True
    )
    results["rejected"] = [value[0].tolist() for value in ran(even, 3)]
    results["rejected names"] = [names(), even[0].name, str(even[0].shape)]

with tf.Graph().as_default():
    many = tf.train.input_producer(np.arange(12.0).reshape(2, 6), shuffle=False).dequeue()
    low = tf.contrib.training.rejection_sample(
        [many, -many], lambda parts: tf.cast(parts[0] < 3, tf.float32), 2, enqueue_many=True, name="low"
    )
    results["rejected many"] = [[part.tolist() for part in value] for value in ran(low, 3)]
    results["rejected many names"] = [names(), low[0].name]


def error(name, make):
    with tf.Graph().as_default():
        try:
            make()
            results["error " + name] = None
        except (TypeError, ValueError) as failure:
            results["error " + name] = type(failure).__name__


sample = tf.contrib.training.stratified_sample
error("rank", lambda: sample([tf.zeros([3])], tf.constant([[1]]), [0.5, 0.5], 2, enqueue_many=True))
error("rows", lambda: sample([tf.zeros([3])], tf.constant([1, 0]), [0.5, 0.5], 2, enqueue_many=True))
error("classes", lambda: sample([tf.zeros([])], 0, [0.5, 0.5], 2, init_probs=[1.0]))
error("label", lambda: sample([tf.zeros([])], tf.constant(0.0), [0.5, 0.5], 2, init_probs=[0.5, 0.5]))
error("sum", lambda: sample([tf.zeros([])], 0, [0.5, 0.6], 2, init_probs=[0.5, 0.5]))

with tf.Graph().as_default(), tf.Session() as sess:
    values = tf.constant([1, 2, 3])
    rates = tf.constant([0.0, 2.0, 5.0])
    taken, again = tf.contrib.training.resample_at_rate([values, tf.stack([rates, rates], 1)], rates, seed=3)
    results["resampled"] = [taken.name, str(taken.dtype), again.name]
    # Other random numbers make other counts; what is never taken is the same.
    counts = np.bincount(np.concatenate([sess.run(taken) for _ in range(300)]), minlength=4)
    results["resampled counts"] = [int(counts[1]), bool(abs(counts[2] - 600) < 150), bool(abs(counts[3] - 1500) < 250)]
    results["gradient none"] = tf.gradients(again, rates)[0] is not None
    chosen, rate = tf.contrib.training.weighted_resample([values], tf.constant([1.0, 0.0, 3.0]), 0.75)
    results["weighted"] = [[v.name for v in tf.local_variables()], chosen[0].name, rate.name]
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    pairs = [sess.run([chosen[0], rate]) for _ in range(200)]
    results["weighted rates"] = sorted({(int(c), round(float(r), 3)) for cs, rs in pairs for c, r in zip(cs, rs)})
    results["weighted count"] = bool(abs(sum(len(c) for c, _ in pairs) - 450) < 120)
