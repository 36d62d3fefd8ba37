"""What optimizers promise: hooks of subclasses, gates, constraints, slots of several optimizers, and what they refuse."""

import numpy as np
import tensorflow as tf

results = {}


def operations():
    return [
        "%s = %s(%s) ^%s"
        % (op.name, op.type, ", ".join(t.name for t in op.inputs), " ".join(sorted(c.name for c in op.control_inputs)))
        for op in tf.get_default_graph().get_operations()
    ]


class Averaging(tf.train.Optimizer):
    """A user's optimizer."""

    def __init__(self, rate, name="Averaging"):
        super(Averaging, self).__init__(False, name)
        self._rate = rate

    def _create_slots(self, var_list):
        for var in var_list:
            self._zeros_slot(var, "average", self._name)
        self._create_non_slot_variable(initial_value=0.0, name="count", colocate_with=var_list[0])

    def _prepare(self):
        self._rate_t = tf.convert_to_tensor(self._call_if_callable(self._rate), name="rate")

    def _apply_dense(self, grad, var):
        average = self.get_slot(var, "average")
        new = average.assign(average * 0.9 + grad)
        return tf.group(tf.assign_sub(var, self._rate_t * new), new)

    def _resource_apply_dense(self, grad, var):
        return self._apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        return tf.scatter_sub(var, grad.indices, self._rate_t * grad.values).op

    def _resource_apply_sparse(self, grad, var, indices):
        return var.scatter_sub(tf.IndexedSlices(grad * self._rate_t, indices)).op

    def _finish(self, update_ops, name_scope):
        count = self._get_non_slot_variable("count", tf.get_default_graph())
        with tf.control_dependencies(update_ops):
            counted = count.assign_add(1.0)
        return tf.group(*(list(update_ops) + [counted]), name=name_scope)


for use_resource in (False, True):
    tf.reset_default_graph()
    w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer(), use_resource=use_resource)
    table = tf.get_variable("table", [3, 2], initializer=tf.ones_initializer(), use_resource=use_resource)
    rows = tf.placeholder_with_default([0, 1, 1], [None])
    loss = tf.reduce_sum(tf.square(tf.gather(table, rows) + w[0]))
    optimizer = Averaging(lambda: 0.1)
    train = optimizer.minimize(loss, name="train")
    key = "own %s" % use_resource
    results[key + " ops"] = operations()
    results[key + " names"] = [v.name for v in optimizer.variables()] + optimizer.get_slot_names()
    results[key + " names"] += [optimizer.get_name(), train.name]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        sess.run(train)
        results[key] = sess.run(tf.global_variables())

    tf.reset_default_graph()
    w = tf.get_variable(
        "w",
        [2, 2],
        initializer=tf.constant_initializer(0.5),
        use_resource=use_resource,
        constraint=lambda x: tf.minimum(x, 0.3),
    )
    b = tf.get_variable("b", [2], initializer=tf.constant_initializer(0.5), use_resource=use_resource)
    y = tf.matmul([[1.0, 2.0]], w) + b
    loss = tf.reduce_sum(y * y)
    optimizer = tf.train.GradientDescentOptimizer(0.05)
    steps = [
        optimizer.minimize(loss, gate_gradients=tf.train.Optimizer.GATE_NONE),
        optimizer.minimize(
            loss,
            gate_gradients=tf.train.Optimizer.GATE_OP,
            grad_loss=tf.constant(2.0),
            colocate_gradients_with_ops=True,
            aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
        ),
        optimizer.minimize(loss, gate_gradients=tf.train.Optimizer.GATE_GRAPH),
    ]
    pairs = optimizer.compute_gradients(loss, var_list=[b, (w,)])
    pairs = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in pairs]
    count = tf.Variable(0, trainable=False, use_resource=use_resource)
    steps.append(optimizer.apply_gradients(pairs, global_step=count))
    steps.append(optimizer.apply_gradients([(np.ones(2, np.float32), b), (None, w)]))
    key = "gates %s" % use_resource
    results[key + " ops"] = operations()
    results[key + " steps"] = [op.name for op in tf.get_collection(tf.GraphKeys.TRAIN_OP)]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for step in steps:
            sess.run(step)
        results[key] = sess.run(tf.global_variables())

tf.reset_default_graph()
w = tf.Variable([1.0, 2.0], name="w")
loss = tf.reduce_sum(tf.square(w))
first, second = tf.train.AdamOptimizer(0.1), tf.train.AdamOptimizer(0.2)
steps = [first.minimize(loss), second.minimize(loss), first.minimize(loss)]
with tf.variable_scope("scope"):
    steps.append(tf.train.AdamOptimizer(0.2, name="Other").minimize(loss))
    steps.append(tf.train.MomentumOptimizer(tf.constant(0.2), lambda: 0.9).minimize(loss))
results["several"] = [v.name for v in tf.global_variables()] + [step.name for step in steps]
results["several slots"] = [first.get_slot(w, "m").name, second.get_slot(w, "v").name, str(first.get_slot(w, "x"))]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in steps:
        sess.run(step)
    results["several values"] = sess.run(tf.global_variables())

tf.reset_default_graph()
train = tf.train
w = tf.Variable([1.0, 2.0], name="w")
total = tf.reduce_sum(w)
kept = tf.Variable(np.ones([2, 2], np.float32), constraint=lambda x: x, name="kept")
descent = train.GradientDescentOptimizer(0.1)
refused = results["refused"] = []
for make in (
    lambda: descent.minimize(tf.constant(1.0, name="one")),
    lambda: descent.minimize(total, var_list=[]),
    lambda: descent.minimize(total, var_list=[tf.constant(1.0, name="other")]),
    lambda: descent.minimize(total, gate_gradients=7),
    lambda: descent.apply_gradients([]),
    lambda: descent.apply_gradients([(None, w)]),
    lambda: train.Optimizer(False, ""),
    lambda: train.AdagradOptimizer(1.0, -1.0),
    lambda: train.AdagradDAOptimizer(1.0, None, -1.0),
    lambda: train.ProximalAdagradOptimizer(1.0, 0.0),
    lambda: train.FtrlOptimizer(1.0, learning_rate_power=1.0),
    lambda: train.FtrlOptimizer(1.0, initial_accumulator_value=-1.0),
    lambda: train.FtrlOptimizer(1.0, l1_regularization_strength=-1.0),
    lambda: descent.minimize(tf.reduce_sum(tf.gather(kept, [0])), var_list=[kept]),
):
    try:
        make()
    except (ValueError, RuntimeError) as error:
        refused.append([type(error).__name__, str(error)])
for make in (
    lambda: descent.compute_gradients(tf.constant(3)),
    lambda: descent.minimize(total, var_list=[3]),
    lambda: descent.apply_gradients([(object(), w)]),
    lambda: train.Optimizer(False, "x").apply_gradients([(tf.ones([2]), w)]),
    lambda: train.Optimizer(False, "x").apply_gradients([(tf.ones([]), tf.constant(1.0))]),
):
    try:
        make()
    except (ValueError, TypeError, AttributeError, NotImplementedError) as error:
        refused.append(type(error).__name__)
