"""Eager execution: single operations, variables, gradients of a small network, a step of Adam, a traced function."""

BARS = {
    "multiply, 50": 1.0,
    "matmul, 50": 1.0,
    "slice, 50": 1.0,
    "read variable, 50": 1.0,
    "gradient of an MLP": 1.0,
    "adam, 20 variables": 1.0,
    "function, 50": 1.0,
}


def workload(tf, np):
    tf.enable_eager_execution()
    state = np.random.RandomState(0)

    def array(*shape):
        return state.uniform(size=shape).astype("float32")

    square = tf.constant(array(10, 10))
    kernels = [tf.Variable(array(20, 20) * 0.1) for _ in range(3)]
    biases = [tf.Variable(array(20)) for _ in range(3)]
    images = tf.constant(array(8, 20))

    def loss():
        hidden = images
        for kernel, bias in zip(kernels, biases):
            hidden = tf.nn.relu(tf.matmul(hidden, kernel) + bias)
        return tf.reduce_mean(tf.square(hidden - 1.0))

    def gradients():
        with tf.GradientTape() as tape:
            value = loss()
        return tape.gradient(value, kernels + biases)

    weights = [tf.Variable(array(10)) for _ in range(20)]
    updates = [tf.constant(array(10)) for _ in range(20)]
    adam = tf.train.AdamOptimizer(0.1)
    traced = tf.function(lambda x: x * 2.0 + 1.0)

    def many(action, count=50):
        def run():
            for _ in range(count):
                action()

        return run

    return {
        "multiply, 50": many(lambda: square * square),
        "matmul, 50": many(lambda: tf.matmul(square, square)),
        "slice, 50": many(lambda: square[1:3]),
        "read variable, 50": many(lambda: kernels[0].read_value()),
        "gradient of an MLP": gradients,
        "adam, 20 variables": lambda: adam.apply_gradients(zip(updates, weights)),
        "function, 50": many(lambda: traced(square)),
    }
