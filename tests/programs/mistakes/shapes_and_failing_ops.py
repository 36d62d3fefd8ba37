"""What errors say: of shapes that do not fit when a graph is built, and of operations that fail when it runs."""

import re
import threading

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import gen_array_ops

results = {}


def said(make):
    try:
        make()
    except Exception as error:
        text = error.message if isinstance(error, tf.errors.OpError) else str(error)
        return [type(error).__name__, re.sub(r"<class '[\w.]*\.(\w+)'>", r"\1", text)]
    return "nothing"


def of(*shape):
    return tf.placeholder(tf.float32, shape)


free = tf.placeholder(tf.int32, [])
BUILT = {
    "reshape": lambda: tf.reshape(of(6), [4, 2]),
    "reshape free": lambda: tf.reshape(of(6), tf.stack([4, free])),
    "reshape rest": lambda: tf.reshape(of(5), [-1, 2]),
    "index": lambda: of(3)[5],
    "slice rank": lambda: of(3)[:, 1],
    "slice": lambda: tf.slice(of(3, 4), [0], [2]),
    "slice far": lambda: tf.slice(of(3, 4), [0, 3], [2, 3]),
    "concat": lambda: tf.concat([of(2, 3), of(3, 4)], 0),
    "concat axis": lambda: tf.concat([of(2, 3), of(3, 4)], 5),
    "split": lambda: tf.split(of(5), 2),
    "split sizes": lambda: tf.split(of(5), [1, 2]),
    "gather scalar": lambda: tf.gather(of(), [1]),
    "gather axis": lambda: tf.gather(of(2), [1], axis=4),
    "pad": lambda: tf.pad(of(2), [[-1, -5]]),
    "transpose": lambda: tf.transpose(of(2, 3), [0, 5]),
    "expand": lambda: tf.expand_dims(of(2, 3), 7),
    "sum": lambda: tf.reduce_sum(of(2, 3), [0, 5]),
    "argmax": lambda: tf.argmax(of(2, 3), 5),
    "fill": lambda: tf.fill([-2, 3], 1.0),
    "range": lambda: tf.range(5, 1, 1),
    "one_hot": lambda: tf.one_hot([1], -3),
    "top_k": lambda: tf.nn.top_k(of(2), 5),
    "segments": lambda: tf.unsorted_segment_sum(of(2, 3), [0, 1], -4),
    "scatter_nd": lambda: tf.scatter_nd([[1]], of(1, 3), [4, 5]),
    "broadcast_to": lambda: tf.broadcast_to(of(2, 3), [3, 3]),
    "blocks": lambda: tf.space_to_batch_nd(of(1, 3, 3, 1), [2, 2], [[0, 0], [0, 0]]),
    "reverse": lambda: tf.reverse(of(2, 3), [5]),
    "normal": lambda: tf.truncated_normal([-2]),
    "add": lambda: of(2, 3) + of(4, 5),
    "matmul": lambda: tf.matmul(of(2, 3), of(4, 5)),
}
for name in sorted(BUILT):
    results[name] = said(BUILT[name])

results["shape attr"] = [said(lambda: gen_array_ops.placeholder(tf.float32, s)) for s in ("x", [1, "a"], [2.5], [-2])]
results["placeholder"] = [said(lambda: tf.placeholder(tf.float32, s)) for s in ("x", [1, "a"], [2.5], [-2])]
constant = tf.constant(1, name="made")
results["operation"] = [
    said(lambda: tf.convert_to_tensor(constant.op)),
    said(lambda: tf.identity(constant.op)),
    said(lambda: tf.convert_to_tensor(constant.op, tf.float32, name="given")),
]


def left_in_wrong_order(first, second):
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)


tf.RegisterGradient("ErrorTexts")(lambda op, grad: grad)
ops.RegisterStatistics("ErrorTexts", "flops")(lambda graph, node: ops.OpStats("flops", 1))
for name, make in [
    ("gradient", lambda: tf.RegisterGradient("ErrorTexts")(lambda op, grad: grad)),
    ("known gradient", lambda: tf.NotDifferentiable("MatMul")),
    ("statistics", lambda: ops.RegisterStatistics("ErrorTexts", "flops")(lambda graph, node: None)),
    ("known statistics", lambda: ops.RegisterStatistics("MatMul", "flops")(lambda graph, node: None)),
]:
    results["registered " + name] = [part.split(" in ")[0] for part in said(make)]

tf.reset_default_graph()
x = tf.placeholder(tf.float32, name="x")
a = tf.placeholder(tf.float32, [None, None], name="a")
b = tf.placeholder(tf.float32, [None, None], name="b")
variable = tf.Variable(1.0, name="v")
RUN = {
    "product": (tf.matmul(a, b, name="product"), {a: np.zeros([2, 3]), b: np.zeros([4, 5])}),
    "variable": (variable + 1.0, {}),
    "picked": (tf.gather([1.0, 2.0], tf.constant([0]) + tf.cast(x, tf.int32), name="picked"), {x: 5}),
    "checked": (tf.check_numerics(x, "not finite", name="checked"), {x: np.nan}),
    "unfed": (tf.negative(x, name="unfed"), {}),
    "asserted": (tf.Assert(x > 1, ["x is", x], name="asserted"), {x: 0}),
    "looped": (
        tf.while_loop(lambda i: i < 3, lambda i: tf.check_numerics(i + tf.reduce_sum(x), "far", name="inner"), [0.0]),
        {x: np.inf},
    ),
}
with tf.Session() as sess:
    for name in sorted(RUN):
        fetch, feed = RUN[name]
        try:
            sess.run(fetch, feed)
        except tf.errors.OpError as error:
            message, full = [re.sub(r"defined at [^)]*\)", "defined at)", text) for text in (error.message, str(error))]
            results["run " + name] = [
                type(error).__name__,
                error.op.name,
                message,
                full.startswith(message),
                "Original stack trace for '%s':" % error.op.name in full,
                "in <module>" in full,
            ]


# In a thread, for what is left open stays so.
def nest():
    graph = tf.Graph()
    results["nesting"] = [
        said(lambda: left_in_wrong_order(tf.Graph().as_default(), tf.Graph().as_default())),
        said(lambda: left_in_wrong_order(graph.device("/cpu:0"), graph.device("/cpu:1"))),
        said(lambda: left_in_wrong_order(graph.control_dependencies([]), graph.control_dependencies([])))[0],
    ]


thread = threading.Thread(target=nest)
thread.start()
thread.join()
