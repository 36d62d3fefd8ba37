"""Examples parsed one by one before a batch, with one that is wrong; and a failing map before a batch."""

import numpy as np
import tensorflow as tf

results = {}
features = {
    "x": tf.FixedLenFeature([2], tf.float32),
    "y": tf.FixedLenFeature([], tf.int64, default_value=7),
    "s": tf.FixedLenFeature([], tf.string),
}
records = []
for i in range(10):
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend([i] * (2 if i != 4 else 3))
    if i % 2:
        example.features.feature["y"].int64_list.value.append(i)
    example.features.feature["s"].bytes_list.value.append(np.array([i, i], np.uint8).tobytes())
    records.append(example.SerializeToString())


def parse(record):
    found = tf.parse_single_example(record, features)
    return found["x"] * 2, found["y"], tf.cast(tf.decode_raw(found["s"], tf.uint8), tf.float32)


def finite(x):
    return tf.check_numerics(1.0 / tf.cast(x - 4, tf.float32), "not finite")


def taken(dataset):
    value = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess:
        for _ in range(6):
            try:
                parts = sess.run(value)
                found.append([np.asarray(p).tolist() for p in parts])
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
    return found


for drop in (False, True):
    results["parsed_%s" % drop] = taken(tf.data.Dataset.from_tensor_slices(records).map(parse).batch(3, drop))
    results["failing_%s" % drop] = taken(tf.data.Dataset.range(10).map(lambda x: (finite(x), x)).batch(3, drop))
results["ignored"] = taken(
    tf.data.Dataset.from_tensor_slices(records).map(parse).apply(tf.data.experimental.ignore_errors()).batch(3)
)
