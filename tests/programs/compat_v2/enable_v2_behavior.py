"""What `tf.compat.v1.enable_v2_behavior` switches, in eager code, functions and graphs, and that it can be taken back."""

import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python import tf2

results = {}


def error(f):
    try:
        return repr(f())
    except Exception as e:
        return type(e).__name__


if "before" in results:
    tf.compat.v1.disable_v2_behavior()
results["before"] = [tf2.enabled()]
tf.compat.v1.enable_v2_behavior()
results["after"] = [
    tf2.enabled(),
    tf.executing_eagerly(),
    tf.control_flow_v2_enabled(),
    tf.resource_variables_enabled(),
]
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
s = x.shape
results["shape"] = [
    repr(s),
    str(s),
    s[0],
    list(s),
    repr(s[1:]),
    [type(d).__name__ for d in s],
    s.as_list(),
    s.rank,
    len(s),
]
t = tf.TensorShape([None, 3])
results["partial"] = [
    repr(t),
    str(t),
    t[0],
    t[1],
    repr(t.dims[0]),
    repr(tf.TensorShape(None)),
    repr(tf.TensorShape(None)[0]),
    str(tf.TensorShape([None])),
    repr(list(t)),
]
results["eq"] = [
    (x == 2.0).numpy(),
    (x != 2.0).numpy(),
    (x == x).numpy(),
    error(lambda: tf.constant([1, 2]) == tf.constant([1, 2, 3])),
    error(lambda: tf.constant([1, 2]) != [1, 2, 3]),
]
results["hash"] = [error(lambda: hash(x)), error(lambda: {x: 1})]
v = tf.Variable([1.0, 5.0])
results["var"] = [(v == 5.0).numpy(), (v != 5.0).numpy(), error(lambda: hash(v)), type(v).__name__, v.name]
results["in"] = error(lambda: tf.constant(3) in [tf.constant(2), tf.constant(3)])
results["ref"] = {x.experimental_ref(): 1}[x.experimental_ref()]


@tf.function
def f(a):
    if a == 3:
        return a * 2
    while a > 0:
        a = a - 1
    return a


results["fn"] = [f(tf.constant(3)).numpy(), f(tf.constant(5)).numpy()]
seen = []


@tf.function
def g(a):
    seen.append([tf.executing_eagerly(), str(a.shape), a.shape[0]])
    b = a == 2.0
    seen.append(type(b).__name__)
    return b


results["g"] = g(x).numpy()
results["seen"] = seen
with tf.Graph().as_default():
    p = tf.compat.v1.placeholder(tf.float32, [None, 3])
    d = {p: 1}
    results["graph"] = [d[p], p == p, str(p.shape), p.shape[0], p.shape[1], p.name]
    c = tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))
    results["graphcond"] = [c.op.type, type(tf.compat.v1.get_variable("w", [2, 3])).__name__]
    dense = tf.compat.v1.layers.dense(p, 4)
    results["layer"] = [str(dense.shape), dense.shape[1]]
    with tf.compat.v1.Session() as sess:
        sess.run(tf.compat.v1.global_variables_initializer())
        results["graphrun"] = [sess.run(dense, {p: np.zeros((2, 3))}).shape, sess.run(c)]
w = tf.Variable([[1.0], [2.0]])
opt = tf.compat.v1.train.AdamOptimizer(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.matmul(x, w) ** 2)
    gr = tape.gradient(loss, [w])
    opt.apply_gradients(zip(gr, [w]))
results["adam"] = w.numpy()
ds = tf.data.Dataset.from_tensor_slices(x).batch(2)
results["ds"] = [a.numpy() for a in ds]


class M(tf.Module):
    def __init__(self):
        super(M, self).__init__()
        self.v = tf.Variable(1.0)
        self.w = tf.Variable(2.0)


m = M()
results["mod"] = [u.name for u in m.variables]
ck = tf.train.Checkpoint(m=m) if hasattr(tf.train, "Checkpoint") else None
p = ck.save(tempfile.mkdtemp() + "/a")
m.v.assign(7.0)
ck.restore(p)
results["ck"] = m.v.numpy()


@tf.custom_gradient
def cg(a):
    return a * 2, lambda dy: dy * 5


with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = cg(x)
    z = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1]
results["cg"] = [tape.gradient(y, x).numpy(), tape.gradient(z, x).numpy()]
if "before" in results:
    tf.compat.v1.disable_v2_behavior()
results["off"] = [
    tf2.enabled(),
    tf.executing_eagerly(),
    tf.control_flow_v2_enabled(),
    repr(tf.TensorShape([2, None])),
    str(tf.TensorShape([2, None])),
    tf.compat.v1.resource_variables_enabled(),
]
