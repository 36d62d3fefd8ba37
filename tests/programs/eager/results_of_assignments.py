"""What assignments return: the variable as it is when read, under a name that says so."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
variable = tf.Variable([1.0, 2.0], name="variable")
assigned = variable.assign([3.0, 4.0])
results["of assign"] = [assigned.name, repr(assigned), assigned is variable, isinstance(assigned, tf.Variable)]
later = assigned.assign_add([1.0, 1.0])
results["as it is when read"] = [assigned.numpy(), (later + 1.0).numpy(), assigned[0].numpy(), assigned.op is None]
others = {
    "assign": tf.assign(variable, [2.0, 3.0]),
    "a slice": variable[0].assign(5.0),
    "rows": variable.scatter_update(tf.IndexedSlices([6.0], [1])),
    "scatter": tf.scatter_add(variable, [0], [1.0]),
    "mean": tf.keras.metrics.Mean().update_state([1.0, 2.0]),
    "steps": tf.keras.optimizers.SGD(1.0).apply_gradients([(tf.ones([2]), variable)]),
    "branches": tf.cond(tf.constant(True), lambda: variable.assign([0.0, 1.0]), lambda: variable.assign([1.0, 0.0])),
}
results["others"] = {key: other.name for key, other in others.items()}
tf.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.ones([2]), assigned)])
results["trained through it"] = variable.numpy()
results["nothing to read"] = variable.assign([1.0, 1.0], read_value=False) is None


def chain():
    added = variable
    for _ in range(3):
        added = added.assign_add([1.0, 1.0])
    return added * variable


with tf.GradientTape() as tape:
    product = chain()
results["gradient"] = tape.gradient(product, variable).numpy()


def function():
    added = variable.assign_add([1.0, 1.0])
    results["in a function"] = [added.name, repr(added)]
    return added


results["of a function"] = tf.function(function)().numpy()
