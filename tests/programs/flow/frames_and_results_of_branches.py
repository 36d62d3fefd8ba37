"""Frames that nothing goes around in, references in loops, and what branches and loops return that is no single tensor."""

import tensorflow as tf
from tensorflow.python.eager import def_function
from tensorflow.python.ops import control_flow_ops, gen_array_ops, gen_control_flow_ops

results = {}


def failure(function):
    try:
        function()
    except Exception as e:
        text = str(e)
        words = ("Cannot reconcile tf.cond 0-th outputs", "in true_fn is accessed from false_fn", "Incompatible return")
        return [type(e).__name__, [word in text for word in words]]
    return None


# Enter and Exit without a loop between them.
data, five = tf.constant([1, 2, 3]), tf.constant(5)
entered = gen_control_flow_ops.enter(data, "straight", False)
product = tf.multiply(entered, gen_control_flow_ops.enter(five, "straight", False))
number = tf.Variable(7, use_resource=False)
inside = control_flow_ops._Enter(number, "reference", is_constant=True)
assigned = tf.assign(inside, gen_control_flow_ops.enter(tf.constant(9), "reference"))
left = control_flow_ops.exit(control_flow_ops.with_dependencies([assigned], inside))
same = control_flow_ops._Identity(number)
sparse = tf.SparseTensor([[0, 5]], ["x"], [10, 10])
slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2]))
results["kinds"] = [
    inside.dtype.name,
    control_flow_ops._Enter(number, "other", use_ref=False).dtype.name,
    same.dtype.name,
    control_flow_ops._NextIteration(number._ref()).dtype.name,
    type(control_flow_ops._Identity(slices)).__name__,
    type(control_flow_ops._Enter(sparse, "third")).__name__,
]

# References go around a loop as such.
seen = []


def step(i, x):
    seen.append(x.dtype.name)
    return i + 1, gen_array_ops.ref_identity(x)


around = tf.while_loop(lambda i, x: i < 3, step, [tf.constant(0), tf.Variable(2.5, use_resource=False)._ref()])
results["around"] = [seen, around[1].dtype.name]


# Gradients of a branch inside of a loop, and of a loop under dependencies on its result.
def outer(i, x):
    return i + 1, tf.while_loop(lambda j, x: j < 3, inner, [0, 0.0])[1]


def inner(j, x):
    y = tf.cond(tf.less(x, 1), lambda: 2 * x, lambda: x)
    return j + 1, tf.gradients(y, x)[0]


nested = tf.while_loop(lambda i, x: i < 3, outer, [0, 0.0])


@def_function.function
def of_its_result():
    x = tf.constant(2.0)
    _, power = tf.while_loop(lambda i, x: i < 2, lambda i, x: [i + 1, x**2], [0, x])
    with tf.control_dependencies([power]):
        return tf.gradients(power, x)[0]


# One function of two variables of different sizes.
one, two = tf.Variable([1.0, 2.0, 3.0], use_resource=True), tf.Variable([4.0, 5.0], use_resource=True)


@def_function.function
def second(x, variable):
    return x + variable.sparse_read([1])[0]


def chosen(i, x):
    return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: second(x, one), lambda: second(x, two))


@def_function.function
def of_both():
    total = tf.while_loop(lambda i, _: i < 4, chosen, [0, 0.0])
    return [tf.convert_to_tensor(g) for g in tf.gradients(total, [one, two])]


# Slices whose indices are of two types, and of one branch only.
narrow, wide, values = tf.constant([0]), tf.constant([0], tf.int64), tf.constant([10])
sliced = tf.cond(
    tf.less(1, 2), lambda: tf.IndexedSlices(values + 1, narrow), lambda: tf.IndexedSlices(values - 1, wide)
)
results["indices"] = sliced.indices.dtype.name


def of_one_branch():
    return tf.cond(tf.less(1, 2), lambda: tf.IndexedSlices(values + 1, narrow), lambda: values)


def across(name):
    kept = {"c": tf.constant(1.0)}

    def true_fn():
        kept["c"] = tf.identity(kept["c"], name=name)
        return kept["c"]

    return tf.cond(tf.constant(True), true_fn, lambda: tf.identity(kept["c"]))


results["one branch"] = failure(of_one_branch)
results["one branch, function"] = failure(def_function.function(of_one_branch))
results["across, function"] = failure(def_function.function(lambda: across("made")))
crossing = across("made")

# What is known of rows that a loop adds to.
rows = tf.ragged.constant([[[1, 2], [3], [4, 5, 6]], [[], [8, 9, 10]]])
_, longer = tf.while_loop(
    lambda i, _: i < 10, lambda i, x: [i + 1, tf.concat([x, x[..., i : i + 1]], axis=-1)], [0, rows]
)
results["rows"] = [str(longer.row_splits.shape), str(longer.values.row_splits.shape), str(longer.values.values.shape)]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["straight"] = sess.run(control_flow_ops.exit(product))
    results["reference"] = [sess.run(left), sess.run(number)]
    results["identity"] = sess.run(control_flow_ops.with_dependencies([tf.assign(same, 4)], same))
    back = control_flow_ops.exit(control_flow_ops._Enter(sparse, "fourth"))
    results["sparse"] = [
        list(map(list, part)) if part.ndim > 1 else list(part)
        for part in map(sess.run, (back.indices, back.values, back.dense_shape))
    ]
    results["loops"] = [sess.run(around), sess.run(nested), sess.run(of_its_result())]
    results["both"] = sess.run(of_both())
    results["sliced"] = sess.run([sliced.values, sliced.indices])
    results["crossing"] = sess.run(crossing)
    results["longer"] = sess.run(tf.shape(longer.flat_values))
