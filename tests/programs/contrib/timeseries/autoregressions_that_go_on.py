"""Autoregressive models: the operations of training, and the state after fewer values than a window takes."""

import tensorflow as tf
from tensorflow.contrib.timeseries.python.timeseries import ar_model

results = {}


def model(outputs):
    return ar_model.ARModel(
        periodicities=[3], input_window_size=4, output_window_size=outputs, num_features=1, num_time_buckets=2
    )


with tf.Graph().as_default() as graph:
    made = model(2)
    made.initialize_graph()
    times = tf.constant([[0, 1, 2, 3, 4, 5]], tf.int64)
    made.get_batch_loss({"times": times, "values": tf.ones([1, 6, 1])}, "train", None)
    results["operations"] = [operation.name for operation in graph.get_operations()]

for outputs in (2, 5):
    for count in (1, 2, 3, 4, 5, 9):
        with tf.Graph().as_default():
            made = model(outputs)
            made.initialize_graph()
            state = (
                tf.constant([[1, 2, 3, 4]], tf.int64),
                tf.constant([[[0.1], [0.2], [0.3], [0.4]]]),
                tf.zeros([1, 4, 0]),
            )
            given = {
                "times": tf.placeholder("int64", [None, None]),
                "values": tf.placeholder("float32", [None, None, 1]),
            }
            end = made.get_batch_loss(given, "eval", state).end_state
            feeds = {
                given["times"]: [list(range(5, 5 + count))],
                given["values"]: [[[float(i)] for i in range(1, count + 1)]],
            }
            with tf.Session() as session:
                results["%d more, windows of %d" % (count, outputs)] = session.run(end, feeds)
