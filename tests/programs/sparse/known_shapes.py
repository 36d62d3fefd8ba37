"""What is known of the shapes of sparse tensors while the graph is built, and what adding two makes of it."""

import tensorflow as tf

results = {}


def sparse(sizes):
    return tf.SparseTensor([[0, 1]], [1.0], sizes)


def found(count):
    """How many different values there are: known as they are looked at, not before."""
    return tf.cast(tf.shape(tf.unique(tf.constant([1] * count))[0])[0], tf.int64)


two, three = tf.constant([2, 3], tf.int64), tf.constant([2, 3, 4], tf.int64)
unknown = tf.placeholder(tf.float32, [2, None])
described = {
    "joined": tf.concat([[found(2)], [found(3)]], 0),
    "packed": tf.stack([found(2), found(3)]),
    "packed with a known one": tf.stack([found(2), 3]),
    "identity": tf.identity(two),
    "stopped": tf.stop_gradient(two),
    "sum": two + 1,
    "slice": three[1:],
    "slice in a join": tf.concat([two[1:], [3]], 0),
    "shape": tf.shape(tf.zeros([2, 3]), out_type=tf.int64),
    "shape known in part": tf.shape(unknown, out_type=tf.int64),
    "cast shape": tf.cast(tf.shape(unknown), tf.int64),
    "cast sizes": tf.cast(tf.stack([tf.size(tf.unique([1, 1, 1])[0]), 3]), tf.int64),
    "expanded": tf.concat([[2], tf.expand_dims(tf.constant(3, tf.int64), 0)], 0),
    "gathered": tf.gather(two, [1, 0]),
    "reshaped": tf.reshape(two, [2]),
}
for name in sorted(described):
    results[name] = str(sparse(described[name]).shape)

results["of functions"] = [
    str(made.shape)
    for made in (
        tf.sparse.retain(sparse([2, 3]), [True]),
        tf.sparse.reshape(sparse([2, 3]), [3, -1]),
        tf.sparse.concat(0, [sparse([2, 3]), sparse([2, 3])]),
        tf.sparse.transpose(sparse([2, 3])),
        tf.sparse.expand_dims(sparse([2, 3]), 1),
        tf.sparse.fill_empty_rows(sparse([2, 3]), 0.0)[0],
        tf.cond(tf.constant(True), lambda: sparse([2, 3]), lambda: sparse([2, 3])),
    )
]
with tf.Graph().as_default() as graph:
    several = sparse(tf.concat([[found(2)], [found(3)]], 0))
    before = len(graph.get_operations())
    tf.sparse.transpose(tf.sparse.add(several, several))
    results["ops"] = [[op.name, op.type] for op in graph.get_operations()[before:]]
