"""Constants that are fed: what their value was must not be taken for what it is; and other things a session minds."""

import tensorflow as tf

results = {}


def said(make):
    try:
        return make()
    except (tf.errors.OpError, RuntimeError, TypeError, ValueError) as error:
        return type(error).__name__


four = tf.constant([1.0, 2.0, 3.0, 4.0])
shape, axis, order = tf.constant([2, 2]), tf.constant(0), tf.constant([0, 1])
reshaped = tf.reshape(four, shape)
square = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
summed = tf.reduce_sum(square, axis)
turned = tf.transpose(square, order)
count = tf.constant(2)
tiled = tf.tile(four, tf.stack([count]))
cut = tf.slice(four, [1], tf.stack([count]))
with tf.Session() as sess:
    results["reshape"] = sess.run(reshaped, {shape: [4, 1]}).tolist()
    results["no such reshape"] = said(lambda: sess.run(reshaped, {shape: [3, 7]}))
    results["then an op on it"] = sess.run(tf.matmul(reshaped, reshaped, transpose_b=True), {shape: [4, 1]}).tolist()
    results["axis"] = sess.run(summed, {axis: 1}).tolist()
    results["order"] = sess.run(turned, {order: [1, 0]}).tolist()
    results["tile"] = sess.run(tiled, {count: 3}).tolist()
    results["slice"] = sess.run(cut, {count: 3}).tolist()
    results["as it was"] = sess.run(reshaped).tolist()
    sparse = tf.sparse_placeholder(tf.float32, shape=[3, 4])
    dense = tf.sparse_tensor_to_dense(sparse)
    results["sparse of a known shape"] = sess.run(dense, {sparse: ([[0, 1]], [2.0])}).tolist()
    results["with its shape"] = said(lambda: sess.run(dense, {sparse: ([[0, 1]], [2.0], [3, 4])}))
    metadata = tf.RunMetadata()
    options = tf.RunOptions(output_partition_graphs=True)
    sess.run(reshaped, options=options, run_metadata=metadata)
    graphs = len(metadata.partition_graphs) > 0
    sess.run(reshaped, run_metadata=metadata)
    results["metadata of one step"] = [graphs, len(metadata.partition_graphs)]

session = tf.Session()


def entered_twice():
    with session, session:
        return None


results["entered twice"] = said(entered_twice)
config = tf.ConfigProto(graph_options=tf.GraphOptions(infer_shapes=True))
results["inferred shapes"] = "_output_shapes" in tf.Session(config=config).graph_def.node[0].attr
results["config"] = said(lambda: tf.Session(config=37))
