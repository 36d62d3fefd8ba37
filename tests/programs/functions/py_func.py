"""py_func: what the function gets, what it may return, its errors and its gradient."""

import re
import threading

import numpy as np
import tensorflow as tf

results = {}


def outcome(function, inputs, types, **keywords):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            fetched = tf.py_func(function, inputs, types, **keywords)
            return [sess.run(fetched), type(fetched).__name__]
        except tf.errors.OpError as error:
            text = error.message.split("\n")[0]
            return [type(error).__name__, re.sub("pyfunc_[0-9]+", "pyfunc", text)]
        except (ValueError, TypeError) as error:
            return [type(error).__name__]


seen = []


def look(*arguments):
    for argument in arguments:
        kind = "scalar" if isinstance(argument, np.generic) else type(argument).__name__
        dtype = argument.dtype.name if hasattr(argument, "dtype") else ""
        seen.append([kind, dtype, list(np.shape(argument))])
    return np.float32(1.0)


arguments = [
    np.float32(1.0),
    np.int32(2),
    np.array([1.0], np.float32),
    b"a",
    np.array([b"a", b"b"], object),
    True,
    np.float64(1.0),
    np.zeros([0, 2]),
    np.arange(6, dtype=np.int64).reshape(2, 3),
    np.array([1 + 2j], np.complex64),
]
results["looked"] = outcome(look, arguments, tf.float32)
results["arguments"] = list(seen)


def raiser(kind):
    def function():
        raise kind("my message")

    return function


class MyError(ValueError):
    pass


functions = {
    "int": (lambda: 1, tf.int64),
    "int as int32": (lambda: 1, tf.int32),
    "float": (lambda: 1.0, tf.float64),
    "float as float32": (lambda: 1.0, tf.float32),
    "bool": (lambda: True, tf.bool),
    "complex": (lambda: 1 + 2j, tf.complex128),
    "nothing": (lambda: None, []),
    "nothing for one": (lambda: None, tf.float32),
    "no values": (list, []),
    "two for one": (lambda: (1, 2), [tf.int64]),
    "two for one type": (lambda: [1, 2], tf.int64),
    "two": (lambda: [1, 2.0], [tf.int64, tf.float64]),
    "lists": (lambda: [[1, 2], [3, 4]], [tf.int64, tf.int64]),
    "list of one": (lambda: [np.float32(3)], [tf.float32]),
    "text": (lambda: "abc", tf.string),
    "bytes": (lambda: b"abc", tf.string),
    "texts": (lambda: ["a", "b\u00e9"], [tf.string, tf.string]),
    "array of bytes": (lambda: np.array([b"a", b"bcc"]), tf.string),
    "array of text": (lambda: np.array(["a", "bcc"]), tf.string),
    "array of objects": (lambda: np.array(["a", b"b"], object), tf.string),
    "list of texts": (lambda: [["a", "b"]], tf.string),
    "objects": (lambda: np.array([1, "x"], object), tf.string),
    "a dict": (lambda: {"a": 1}, tf.string),
    "transposed": (lambda: np.arange(6.0).reshape(2, 3).T, tf.float64),
    "backwards": (lambda: np.arange(6.0)[::-1], tf.float64),
    "uint8": (lambda: np.array([1, 255], np.uint8), tf.uint8),
    "float16": (lambda: np.array([1.5], np.float16), tf.float16),
}
kinds = [
    ValueError,
    TypeError,
    StopIteration,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    KeyError,
    OSError,
    MyError,
]
for kind in kinds + [ZeroDivisionError, AssertionError]:
    functions["raises " + kind.__name__] = (raiser(kind), tf.float32)
for name, (function, types) in functions.items():
    results[name] = outcome(function, [], types)
results["not callable"] = outcome(3, [], tf.float32)
results["no list"] = outcome(look, np.float32(1), tf.float32)
results["numpy_function"] = float(
    tf.Session().run(tf.numpy_function(lambda v: np.sinh(v), [np.float64(0.5)], tf.float64))
)


def scribble(x):
    x[0] = 99.0
    return x


with tf.Graph().as_default() as graph, tf.Session() as sess:
    c = tf.constant([1.0, 2.0])
    results["argument written to"] = sess.run([tf.py_func(scribble, [c], tf.float32), c]) + [sess.run(c)]
    made = tf.py_func(look, [1, [2.0, 3.0], "s"], [tf.float32], name="pf")
    tf.py_func(look, [c], tf.float32, stateful=False)
    results["operations"] = [[op.name, op.type, [t.name for t in op.inputs]] for op in graph.get_operations()]
    results["shapes"] = [str(t.get_shape()) for t in made]
    results["kept"] = bool(graph.get_operation_by_name("pf").get_attr("token").startswith(b"pyfunc_"))

    kept = np.zeros([3], np.float32)

    def accumulate():
        kept[0] += 1.0
        return kept

    total = tf.py_func(accumulate, [], tf.float32)
    results["what it keeps"] = [sess.run(total), sess.run(total)]
    count = [0]

    def tick():
        count[0] += 1
        return np.int64(count[0])

    ticking = tf.py_func(tick, [], tf.int64)
    again = tf.py_func(tick, [], tf.int64)
    results["once a run"] = [sess.run([ticking, ticking + 1]), int(sess.run(ticking))]
    results["two operations, two calls"] = sorted(int(v) for v in sess.run([ticking, again]))

    @tf.RegisterGradient("SquareGrad")
    def _square_grad(op, grad):
        return grad * 2.0 * op.inputs[0]

    def py_square(value, name="Square"):
        with tf.get_default_graph().gradient_override_map({"PyFunc": "SquareGrad"}):
            y = tf.py_func(lambda v: np.square(v), [value], tf.float32, name=name)
        y.set_shape(value.get_shape())
        return y

    x = tf.constant([1.0, 2.0, 3.0])
    y = py_square(x)
    results["own gradient"] = sess.run([y, tf.gradients(tf.reduce_sum(y * y), x)[0]])
    results["no gradient"] = str(tf.gradients(tf.py_func(lambda v: np.square(v), [x], tf.float32), x)[0])
    results["in a session"] = float(sess.run(tf.py_func(lambda v: np.float32(v.sum()), [x * 2.0], tf.float32)))

    fed = tf.placeholder(tf.float32, [None])
    sums = tf.py_func(lambda v: np.float32(v.sum()), [fed], tf.float32)
    found = {}

    def work(i):
        found[i] = float(sess.run(sums, {fed: np.full([i], 2.0)}))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results["threads"] = [found[i] for i in range(4)]
    order = []
    first = tf.py_func(lambda: order.append(1) or np.float32(0), [], tf.float32)
    with tf.control_dependencies([first]):
        second = tf.py_func(lambda: order.append(2) or np.float32(0), [], tf.float32)
    sess.run(second)
    results["in order"] = order
