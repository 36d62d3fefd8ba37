"""tf.train.experimental: an optimizer that scales the loss."""

import tensorflow as tf

results = {}
experimental = tf.train.experimental
options = tf.config.optimizer.get_experimental_options
opt = experimental.enable_mixed_precision_graph_rewrite(tf.train.MomentumOptimizer(0.1, 0.9))
results["type"] = [type(opt).__name__, opt.get_name(), isinstance(opt, tf.train.Optimizer)]
results["on"] = options()
for name, bad in [("wrapped", opt), ("other", 3)]:
    try:
        experimental.enable_mixed_precision_graph_rewrite(bad)
    except ValueError as error:
        results["error_" + name] = str(error)
x = tf.Variable([1.0, -2.0], name="x")
step = tf.train.get_or_create_global_step()
train_op = opt.minimize(tf.reduce_sum(x * x), global_step=step)
fixed = experimental.enable_mixed_precision_graph_rewrite(tf.train.GradientDescentOptimizer(0.5), loss_scale=8.0)
pairs = fixed.compute_gradients(tf.reduce_sum(x * x))
results["variables"] = [v.op.name for v in tf.global_variables()]
results["ops"] = [train_op.name, train_op.type, pairs[0][0].name]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train_op)
    results["values"] = sess.run([x, step, pairs[0][0]] + [v for v in tf.global_variables() if "_" in v.op.name][:3])
experimental.disable_mixed_precision_graph_rewrite()
results["off"] = options()
experimental.disable_mixed_precision_graph_rewrite()
