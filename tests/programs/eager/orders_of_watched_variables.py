"""The variables of tapes come in the order in which they were made, not in that of their use."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
tfe = tf.contrib.eager
first, second, third = [tfe.Variable(float(i), name=name) for i, name in enumerate(["first", "second", "third"], 2)]


def loss():
    return third * first + second**2 * third


with tf.GradientTape() as tape:
    loss()
results["tape"] = [variable.name for variable in tape.watched_variables()]
results["implicit"] = [[variable.name, float(gradient)] for gradient, variable in tfe.implicit_gradients(loss)()]
value, pairs = tfe.implicit_value_and_gradients(loss)()
results["value"] = [float(value), [variable.name for _, variable in pairs]]
optimizer = tf.train.GradientDescentOptimizer(0.1)
results["optimizer"] = [variable.name for _, variable in optimizer.compute_gradients(loss)]
with tf.Graph().as_default():
    made = [tf.get_variable(name, [], use_resource=True) for name in ("a", "b", "c")]
    with tf.GradientTape() as tape:
        made[2] * made[0] + made[1]
    results["graph"] = [variable.name for variable in tape.watched_variables()]
