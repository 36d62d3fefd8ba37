"""Accumulators of gradients, dense and sparse, and optimizers that share a step."""

import threading

import numpy as np
import tensorflow as tf

results = {}
sess = tf.Session()


def outcome(fetches, feed=None):
    try:
        return sess.run(fetches, feed)
    except tf.errors.OpError as error:
        return type(error).__name__


dense = tf.ConditionalAccumulator(tf.float32, shape=[2], name="dense")
gradient = tf.placeholder(tf.float32)
step = tf.placeholder(tf.int64, [])
add = dense.apply_grad(gradient, local_step=step)
mean = dense.take_grad(2)
count = dense.num_accumulated()
results["names"] = [dense.name, add.name, mean.name, count.name, dense.accumulator_ref.op.type, add.type, mean.op.type]
results["shape"] = str(mean.shape)
sess.run(add, {gradient: [1.0, 2.0], step: 0})
results["one"] = sess.run(count)
sess.run(add, {gradient: [3.0, 4.0], step: 0})
sess.run(add, {gradient: [5.0, 9.0], step: 0})
results["mean"] = sess.run(mean)
results["after"] = sess.run(count)
sess.run(add, {gradient: [1.0, 1.0], step: 0})  # late: the step is 1 now
results["late"] = sess.run(count)
sess.run(dense.set_global_step(5))
sess.run(add, {gradient: [1.0, 1.0], step: 4})
sess.run(add, {gradient: [1.0, 1.0], step: 5})
results["at 5"] = sess.run(count)
results["wrong shape"] = outcome(add, {gradient: [1.0], step: 9})
results["none required"] = outcome(dense.take_grad(0))
try:
    dense.apply_grad([1.0, 2.0, 3.0])
except ValueError as error:
    results["static shape"] = type(error).__name__

total = tf.ConditionalAccumulator(tf.float64, shape=[], name="total", reduction_type="SUM")
for value in (4, 5, 7):
    sess.run(total.apply_grad(value))
results["sum"] = sess.run(total.take_grad(3))
whole = tf.ConditionalAccumulator(tf.float64)
for value in (4, 5):
    sess.run(whole.apply_grad([value]))
results["whole mean"] = sess.run(whole.take_grad(1))
results["any shape"] = [str(whole.take_grad(1).shape)]

sparse = tf.SparseConditionalAccumulator(tf.float32, shape=[4, 2], name="sparse")
sess.run(sparse.apply_grad([0, 2], np.array([[1, 2], [3, 4]], np.float32), [4, 2]))
sess.run(sparse.apply_indexed_slices_grad(tf.IndexedSlices(tf.constant([[5.0, 6.0]]), [2], [4, 2])))
results["sparse count"] = sess.run(sparse.num_accumulated())
taken = sparse.take_grad(2)
results["sparse"] = [np.asarray(part) for part in sess.run(taken)]
results["sparse names"] = [taken.indices.name, taken.values.name, taken.shape.name]
sess.run(sparse.set_global_step(3))
slices = sparse.take_indexed_slices_grad(1)
sess.run(sparse.apply_grad([3], np.array([[1, 1]], np.float32), local_step=3))
results["slices"] = [np.asarray(part) for part in sess.run([slices.indices, slices.values])]

# Taken in the step that adds, and waited for by another thread.
both = tf.ConditionalAccumulator(tf.float32, shape=[], name="both")
adds = [both.apply_grad(float(i)) for i in range(4)]
results["one step"] = sess.run([both.take_grad(4)] + adds)[0]
waited = []
take = both.take_grad(3)
add_one = both.apply_grad(2.0, local_step=9)
thread = threading.Thread(target=lambda: waited.append(sess.run(take)))
thread.start()
for _ in range(3):
    sess.run(add_one)
thread.join()
results["waited"] = waited
try:
    sess.run(take, options=tf.RunOptions(timeout_in_ms=20))
except tf.errors.DeadlineExceededError as error:
    results["timeout"] = type(error).__name__
sess.close()

# One worker: a step is over when its gradient has been applied.
with tf.Graph().as_default():
    w = tf.Variable([1.0, 2.0], name="w")
    table = tf.Variable(np.arange(6.0).reshape(3, 2), dtype=tf.float32, name="table")
    loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(table, [0, 2, 2]))
    global_step = tf.train.get_or_create_global_step()
    inner = tf.train.MomentumOptimizer(0.1, 0.9)
    opt = tf.train.SyncReplicasOptimizer(inner, replicas_to_aggregate=1)
    train = opt.minimize(loss, global_step=global_step)
    runner = opt.get_chief_queue_runner()
    tokens = opt.get_init_tokens_op(0)
    init = [tf.global_variables_initializer(), tf.local_variables_initializer()]
    results["sync ops"] = [
        op.name + " " + op.type
        for op in tf.get_default_graph().get_operations()
        if "sync" in op.name or "accum" in op.name.lower() or "queue" in op.name
    ]
    with tf.Session() as sess:
        sess.run(init)
        sess.run(opt.chief_init_op)
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, daemon=True, start=True)
        sess.run(tokens)
        for _ in range(3):
            sess.run(train)
        results["sync step"] = sess.run(global_step)
        results["sync w"] = sess.run(w)
        results["sync table"] = sess.run(table)
        coord.request_stop()
