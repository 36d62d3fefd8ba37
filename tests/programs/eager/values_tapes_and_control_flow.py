"""Eager execution: values, tapes, variables, optimizers, control flow and functions."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
results = {"eagerly": tf.executing_eagerly()}


def error_of(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "none"


# ---- tensors ----
c = tf.constant([[1.0, 2.0], [3.0, 4.0]])
results["tensor"] = {
    "text": str(tf.constant(2.5)),
    "repr ends": repr(tf.constant([1, 2])).split("shape")[1],
    "values": (c * 2 + 1).numpy(),
    "product": tf.matmul(c, c).numpy(),
    "sums": [tf.reduce_sum(c).numpy(), tf.reduce_sum(c, axis=0).numpy(), tf.reduce_sum(c, axis=[0, 1]).numpy()],
    "pieces": [c[0].numpy(), c[:, 1].numpy(), c[..., ::-1].numpy(), c[-1, tf.constant(0)].numpy()],
    "shape": c.shape.as_list(),
    "python": [float(c[0, 0]), int(tf.constant(7)), bool(tf.constant(True)), len(c), [x.numpy() for x in tf.range(3)]],
    "strings": tf.constant(["a", "b"]).numpy().tolist(),
    "as arrays": [np.multiply(tf.add(1, 1), tf.add(np.array(1), np.array(1))), np.asarray(c)],
    "type of numpy": [type(tf.constant(1.0).numpy()).__name__, type(tf.constant("x").numpy()).__name__],
    "equal": [(c == c) is True, (tf.constant(1) == tf.constant(1)) is True],
    "device": c.device,
    "unique": [t.numpy() for t in tf.unique([1, 1, 2])],
    "where": tf.where([True, False, True]).numpy(),
    "concat": tf.concat([c, c], 0).numpy(),
    "stacked": tf.stack([c[0], c[1]], axis=1).numpy(),
    "cast": tf.cast([1.7, -1.7], tf.int32).numpy(),
    "one hot": tf.one_hot([0, 2], 3).numpy(),
    "sparse": tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 1]], [5.0], [1, 3])).numpy(),
}
results["errors"] = {
    "product": error_of(lambda: tf.matmul(c, [[1.0, 2.0, 3.0]])),
    "broadcast": error_of(lambda: tf.ones([2]) + tf.ones([3])),
    "type": error_of(lambda: tf.add(tf.constant(1.0), tf.constant(1))),
    "placeholder": error_of(lambda: tf.placeholder(tf.float32)),
    "op": error_of(lambda: c.op),
    "name": error_of(lambda: c.name),
    "graph": error_of(lambda: c.graph),
    "eval": error_of(lambda: c.eval()),
    "gradients": error_of(lambda: tf.gradients(c, c)),
    "assertion": error_of(lambda: tf.assert_equal(c, 4.0)),
    "check": error_of(lambda: tf.check_numerics(tf.constant(float("nan")), "bad")),
    "iterate a scalar": error_of(lambda: list(tf.constant(1))),
    "len of a scalar": error_of(lambda: len(tf.constant(1))),
    "bool of many": error_of(lambda: bool(tf.constant([True, False]))),
    "set_shape": error_of(lambda: c.set_shape([3])),
    "reshape": error_of(lambda: tf.reshape(c, [3])),
    "gather": error_of(lambda: tf.gather([1, 2], 5)),
    "queue": error_of(lambda: tf.FIFOQueue(2, tf.float32)),
    "bad slice": error_of(lambda: c[5]),
}

# ---- tapes ----
x = tf.constant(3.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    cube = x * x * x
    looped = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), (0, x))[1]
    chosen = tf.cond(x > 2.0, lambda: x * 5.0, lambda: x)
    mapped = tf.reduce_sum(tf.map_fn(lambda v: v * x, tf.constant([1.0, 2.0])))
    array = tf.TensorArray(tf.float32, 3)
    for step in range(3):
        array = array.write(step, x * float(step))
    stacked = tf.reduce_sum(array.stack())
    unrelated = tf.constant(1.0)
results["tape"] = {
    "gradients": [tape.gradient(y, x).numpy() for y in (cube, looped, chosen, mapped, stacked)],
    "unrelated": tape.gradient(unrelated, x) is None,
    "zero": tape.gradient(unrelated, x, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy(),
    "start": tape.gradient(cube, x, output_gradients=2.0).numpy(),
}
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x**4
    first = inner.gradient(y, x)
results["second"] = [first.numpy(), outer.gradient(first, x).numpy()]
with tf.GradientTape() as once:
    once.watch(x)
    y = x * 2.0
once.gradient(y, x)
results["used tape"] = error_of(lambda: once.gradient(y, x))
with tf.GradientTape(persistent=True) as tape:
    tape.watch(c)
    squares = c * c
results["jacobian"] = tape.jacobian(squares, c).numpy()
results["batch jacobian"] = tape.batch_jacobian(squares, c).numpy()
f = lambda a: tf.multiply(a, a)
df = tfe.gradients_function(f)
d2f = tfe.gradients_function(lambda a: df(a)[0])
results["functions of gradients"] = [
    df(3.0)[0].numpy(),
    d2f(3.0)[0].numpy(),
    tfe.value_and_gradients_function(lambda a, b: a * b)(2.0, 3.0)[0].numpy(),
    [g.numpy() for g in tfe.gradients_function(lambda a, b: a * b, params=["b"])(2.0, 3.0)],
]


@tf.custom_gradient
def log1pexp(a):
    e = tf.exp(a)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))

    return tf.log(1 + e), grad


results["custom"] = [
    tfe.gradients_function(log1pexp)(0.0)[0].numpy(),
    tfe.gradients_function(log1pexp)(100.0)[0].numpy(),
]

# ---- variables ----
v = tfe.Variable(2.0, name="v")
before = v.read_value()
v.assign_add(1.0)
w = tf.get_variable("w", [2, 3], initializer=tf.ones_initializer())
results["variables"] = {
    "kept": before.numpy(),
    "now": v.numpy(),
    "names": [v.name, w.name, tf.Variable(1.0).name],
    "text": str(v),
    "assigned": v.assign(5.0).numpy(),
    "trainable": [v.trainable, tf.Variable(1, trainable=False).trainable],
    "sum": (v + w).numpy(),
    "rows": tf.nn.embedding_lookup(w, [1]).numpy(),
    "wrong shape": error_of(lambda: w.assign([1.0])),
    "scattered": w.scatter_nd_update([[0, 1]], [9.0]).numpy(),
}
table = tf.Variable(np.ones([4, 2], np.float32))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 1, 3]) ** 2)
rows = tape.gradient(loss, table)
results["rows"] = [type(rows).__name__, rows.values.numpy(), rows.indices.numpy()]
for maker in (
    lambda: tf.train.GradientDescentOptimizer(0.1),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    lambda: tf.train.AdamOptimizer(0.1),
    lambda: tf.train.RMSPropOptimizer(0.1),
    lambda: tf.train.AdagradOptimizer(0.1),
    lambda: tf.train.FtrlOptimizer(0.1),
    lambda: tf.train.AdadeltaOptimizer(0.1),
):
    optimizer = maker()
    point = tf.Variable([1.0, 2.0])
    for _ in range(3):
        optimizer.minimize(lambda: tf.reduce_sum(point * point))
    name = type(optimizer).__name__
    results[name] = [point.numpy(), sorted(slot.name for slot in optimizer.variables())]
    optimizer.apply_gradients([(rows, table)])
results["table"] = table.numpy()
step = tf.train.get_or_create_global_step()
tf.train.GradientDescentOptimizer(0.1).apply_gradients(tfe.implicit_gradients(lambda: v * v)(), global_step=step)
results["step"] = [step.numpy(), v.numpy()]


# ---- functions ----
@tf.function
def power(a, n=2):
    return a**n + 1.0


@tf.function
def counting(a):
    v.assign_add(1.0)
    return {"product": a * v, "squares": [v * v]}


with tf.GradientTape() as tape:
    made = counting(tf.constant(3.0))
    total = made["product"] + made["squares"][0]
results["function"] = {
    "values": [
        power(tf.constant(3.0)).numpy(),
        power(tf.constant(3.0), 3).numpy(),
        power(tf.constant([1.0, 2.0])).numpy(),
    ],
    "total": total.numpy(),
    "gradient": tape.gradient(total, v).numpy(),
    "concrete": power.get_concrete_function(tf.TensorSpec([None], tf.float32))(tf.constant([2.0, 3.0])).numpy(),
    "wrapped": tf.wrap_function(lambda a: a * 2.0, [tf.TensorSpec([], tf.float32)])(tf.constant(3.0)).numpy(),
}


@tfe.defun
def summed(n):
    return tf.while_loop(
        lambda i, s: i < n, lambda i, s: (i + 1, s + tf.cast(i, tf.float32)), [tf.constant(0), tf.constant(0.0)]
    )[1]


results["loop in a function"] = summed(tf.constant(5)).numpy()


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def total_of(a):
    return tf.reduce_sum(a)


results["signature"] = [
    total_of(tf.constant([1.0, 2.0])).numpy(),
    total_of([1.0, 2.0, 3.0]).numpy(),
    error_of(lambda: total_of(tf.constant([[1.0]]))),
]

# ---- seeds, datasets, layers ----
tf.set_random_seed(7)
results["random"] = [
    tf.random_uniform([2]).numpy(),
    tf.random_uniform([2]).numpy(),
    tf.random_normal([2], seed=1).numpy(),
]
results["dataset"] = [a.numpy() for a in tf.data.Dataset.range(6).map(lambda a: a * 2).batch(4)]
results["structure"] = [
    [e["a"].numpy(), e["b"].numpy()] for e in tf.data.Dataset.from_tensor_slices({"a": [1.0, 2.0], "b": ["x", "y"]})
]
dense = tf.layers.Dense(3, kernel_initializer=tf.ones_initializer())
cell = tf.nn.rnn_cell.BasicLSTMCell(2)
outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), dtype=tf.float32)
results["layers"] = {
    "dense": dense(tf.ones([2, 4])).numpy(),
    "names": [a.name for a in dense.variables],
    "rnn": [outputs.shape.as_list(), state.c.shape.as_list(), sorted(a.name for a in cell.variables)],
    "pool": tf.nn.max_pool(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], "VALID").numpy(),
    "xent": tf.losses.sparse_softmax_cross_entropy([1], [[1.0, 2.0]]).numpy(),
}
with tf.Graph().as_default():
    p = tf.placeholder(tf.float32)
    with tf.Session() as sess:
        results["a graph inside"] = [tf.executing_eagerly(), sess.run(p * 2.0, {p: 4.0})]
results["py_function"] = tf.py_function(lambda a: a + 1, [x], tf.float32).numpy()
