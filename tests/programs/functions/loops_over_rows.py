"""Loops over the rows of tensors: their operations, random numbers drawn in them, and tensors without rows."""

import tensorflow as tf

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}


def drawing(rows):
    total = 0.0
    for row in rows:
        total += tf.reduce_sum(row) + tf.random.uniform([])
    return total


def drawing_inside(rows):
    total = 0.0
    for row in rows:
        for number in row:
            total += number + tf.random.uniform([])
    return total


def left_early(rows):
    count = 0
    for row in rows:
        if tf.reduce_sum(row) > 3.0:
            break
        count += 1
    return count


def last(rows):
    found = 0.0
    for row in rows:
        found = tf.reduce_max(row)
    return found


def texts(rows):
    joined = ""
    for row in tf.as_string(rows):
        joined += row[0]
    return tf.strings.length(joined)


def how_many(rows):
    return (10 if len(rows) == 0 else 20) + len(rows)


with_rows, without = tf.constant([[1.0, 2.0], [0.5, 4.0], [3.0, 0.25]]), tf.zeros([0, 2])
for function in (drawing, drawing_inside):
    tf.compat.v1.set_random_seed(5)
    traced = tf.function(function)
    results[function.__name__] = [traced(with_rows).numpy(), traced(with_rows).numpy(), traced(without).numpy()]
for function in (left_early, last, texts, how_many):
    traced = tf.function(function)
    results[function.__name__] = [traced(with_rows).numpy().tolist(), traced(without).numpy().tolist()]
    open_rows = tf.function(function, input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    results[function.__name__].append(open_rows(with_rows).numpy().tolist())
traced = tf.function(drawing).get_concrete_function(with_rows)
results["operations"] = ["%s %s" % (op.name, op.type) for op in traced.graph.get_operations()]
with tf.GradientTape() as tape:
    tape.watch(with_rows)
    tf.compat.v1.set_random_seed(5)
    total = tf.function(drawing)(with_rows)
results["gradient"] = tape.gradient(total, with_rows).numpy()

for dims in ([3, 2], [None, 2], None):
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        tf.compat.v1.set_random_seed(4)
        rows = tf.compat.v1.placeholder(tf.float32, dims)
        total = tf.autograph.to_graph(last)(rows)
        after = tf.random.uniform([])
        results["in a graph: %s" % dims] = sess.run([total, after], {rows: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]})
