"""Tables from integers to lists of tensors, which are variants: inserted, looked up, exported."""

import tensorflow as tf
from tensorflow.python.ops import gen_list_ops, gen_lookup_ops, list_ops

results = {}


def lists(*contents):
    return [list_ops.tensor_list_from_tensor(tf.constant(each), element_shape=[]) for each in contents]


MAKERS = {
    "mutable": lambda: gen_lookup_ops.mutable_hash_table_v2(tf.int64, tf.variant, shared_name="mutable"),
    "dense": lambda: gen_lookup_ops.mutable_dense_hash_table_v2(
        tf.constant(0, tf.int64),
        tf.constant(-1, tf.int64),
        value_dtype=tf.variant,
        value_shape=[],
        initial_num_buckets=4,
        shared_name="dense",
    ),
}
for name, make in sorted(MAKERS.items()):
    with tf.Graph().as_default(), tf.Session() as session:
        table = make()
        session.run(
            gen_lookup_ops.lookup_table_insert_v2(
                table, tf.constant([5, 6], tf.int64), tf.stack(lists([1.0, 2.0], [3.0]))
            )
        )
        (default,) = lists([7.0, 8.0, 9.0])
        found = gen_lookup_ops.lookup_table_find_v2(table, tf.constant([6, 7, 5], tf.int64), default)
        results[f"{name}: lengths"] = session.run([gen_list_ops.tensor_list_length(found[i]) for i in range(3)])
        results[f"{name}: size"] = session.run(gen_lookup_ops.lookup_table_size_v2(table))
        keys, values = gen_lookup_ops.lookup_table_export_v2(table, tf.int64, tf.variant)
        results[f"{name}: keys"] = sorted(session.run(keys).reshape(-1).tolist())
        results[f"{name}: shape"] = session.run(tf.shape(values))
with tf.Session() as session:
    table = MAKERS["mutable"]()
    five, six = tf.constant(5, tf.int64), tf.constant(6, tf.int64)
    one, other = lists([1.0, 2.0], [9.0])
    session.run(gen_lookup_ops.lookup_table_insert_v2(table, five, one))
    for number, key in enumerate((five, six)):
        found = gen_lookup_ops.lookup_table_find_v2(table, key, other)
        results[f"scalar {number}"] = session.run(list_ops.tensor_list_stack(found, tf.float32))
