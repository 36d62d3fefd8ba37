"""Calls of Python functions: what one costs on a number, on arrays, on strings, and with its gradient overridden."""

BARS = {
    "ten calls on a scalar": 1.0,
    "ten calls on 1000 floats": 1.0,
    "three outputs": 1.0,
    "strings": 1.0,
    "with gradient": 1.0,
}


def workload(tf, np):
    def chained(value, function, times=10):
        for _ in range(times):
            value = tf.py_func(function, [value], tf.float32)
        return value

    x = tf.placeholder(tf.float32, [])
    scalars = chained(x, lambda v: v + np.float32(1))
    a = tf.placeholder(tf.float32, [1000])
    arrays = chained(a, lambda v: v * np.float32(0.5))
    three = tf.py_func(lambda v: (v, v.sum(), np.int64(v.size)), [a], [tf.float32, tf.float32, tf.int64])
    s = tf.placeholder(tf.string, [100])
    strings = tf.py_func(lambda v: np.array([t.upper() for t in v], object), [s], tf.string)

    @tf.RegisterGradient("BenchRelu%d" % id(x))
    def gradient(op, grad):
        return grad * tf.cast(op.inputs[0] > 0, tf.float32)

    with tf.get_default_graph().gradient_override_map({"PyFunc": "BenchRelu%d" % id(x)}):
        relu = tf.py_func(lambda v: np.maximum(v, np.float32(0)), [a], tf.float32)
    relu.set_shape([1000])
    derived = tf.gradients(tf.reduce_sum(relu), a)
    sess = tf.Session()
    values = np.linspace(-1, 1, 1000).astype(np.float32)
    texts = np.array([b"text %d" % i for i in range(100)], object)
    return {
        "ten calls on a scalar": lambda: sess.run(scalars, {x: 1.0}),
        "ten calls on 1000 floats": lambda: sess.run(arrays, {a: values}),
        "three outputs": lambda: sess.run(three, {a: values}),
        "strings": lambda: sess.run(strings, {s: texts}),
        "with gradient": lambda: sess.run(derived, {a: values}),
    }
