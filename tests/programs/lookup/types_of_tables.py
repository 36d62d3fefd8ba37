"""The types of keys and values that tables of each kind hold, and the class of error where there is none."""

import tensorflow as tf

results = {}
odd_keys = {tf.string: [b"", b"d"], tf.bool: [False, True]}
kinds = {
    "HashTable": lambda k, v: tf.raw_ops.HashTableV2(key_dtype=k, value_dtype=v),
    "MutableHashTable": lambda k, v: tf.raw_ops.MutableHashTableV2(key_dtype=k, value_dtype=v),
    "MutableHashTableOfTensors": lambda k, v: tf.raw_ops.MutableHashTableOfTensorsV2(
        key_dtype=k, value_dtype=v, value_shape=[2]
    ),
    "MutableDenseHashTable": lambda k, v: tf.raw_ops.MutableDenseHashTableV2(
        empty_key=tf.constant(odd_keys.get(k, [0, 1])[0], k),
        deleted_key=tf.constant(odd_keys.get(k, [0, 1])[1], k),
        value_dtype=v,
    ),
}
keys = tf.int32, tf.int64, tf.float32, tf.string, tf.int8, tf.bool
values = tf.int32, tf.int64, tf.float32, tf.float64, tf.string, tf.int8, tf.bool, tf.float16
for name, make in kinds.items():
    for key in keys:
        held = []
        for value in values:
            # A node without a kernel fails whatever runs in its graph.
            with tf.Graph().as_default(), tf.Session() as sess:
                try:
                    sess.run(make(key, value).op)
                except tf.errors.InvalidArgumentError:
                    continue
                held.append(value.name)
        results["%s of %s" % (name, key.name)] = held
