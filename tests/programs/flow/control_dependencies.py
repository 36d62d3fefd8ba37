"""What control dependencies order: reads before writes, updates before reads, and nothing more."""

import tensorflow as tf

results = {}

a = tf.Variable(1, name="a")
b = tf.constant(2, name="b")
c = a + b
with tf.control_dependencies([c]):
    write = tf.assign(a, 5)

counter = tf.Variable(0, name="counter")
with tf.control_dependencies([tf.assign_add(counter, 10)]):
    after = counter.read_value()

first, second = tf.Variable(1.0, name="first"), tf.Variable(2.0, name="second")
with tf.control_dependencies([first.initializer]), tf.control_dependencies([second.initializer]):
    nested = tf.no_op(name="nested")
    with tf.control_dependencies(None):
        free = tf.no_op(name="free")

both = tf.group(first.initializer, second.initializer, name="both")
pair = tf.tuple([first * 2.0, second * 3.0], control_inputs=[tf.assign(first, 7.0)])
total = tf.Variable(0.0, name="total")
doubled = tf.assign(total, total * 2.0)
with tf.control_dependencies([doubled]):
    increased = tf.assign_add(total, 1.0)

with tf.Session() as sess:
    seen = []
    for _ in range(10):
        sess.run(tf.global_variables_initializer())
        seen.append([int(v) for v in sess.run([write, c])])
    results["write after read"] = seen
    results["read after update"] = [int(sess.run(after)) for _ in range(3)]
    sess.run(both)
    results["grouped"] = sess.run([first, second])
    results["tuple"] = [float(v) for v in sess.run(pair)][1]
    results["after the tuple"] = sess.run(first)
    results["chain"] = [float(sess.run(increased)) for _ in range(5)]

    # A reference variable read after its own assignment in one run.
    sess.run(a.initializer)
    results["an assignment is its new value"] = sess.run(tf.assign(a, a + b))

results["control inputs"] = {
    op.name: sorted(one.name for one in op.control_inputs) for op in (write.op, nested, free, both, increased.op)
}
results["group names"] = [both.name, both.type, tf.group(name="none").type]
results["Graph.control_dependencies takes"] = []
for wrong in (3, "no such op"):
    try:
        with tf.control_dependencies([wrong]):
            pass
    except (TypeError, KeyError, ValueError) as error:
        results["Graph.control_dependencies takes"].append(type(error).__name__)
