"""Eager execution: single operations, values, variables, gradients and steps of small networks, a traced function."""

BARS = {
    "add, 50": 0.8,
    "multiply, 50": 1.0,
    "matmul, 50": 1.0,
    "slice, 50": 1.0,
    "read variable, 50": 1.0,
    "constant and back to NumPy, 50": 1.0,
    "gradient of an MLP": 1.0,
    "training step of an MLP of 784-128-32-10": 0.7,
    "adam, 20 variables": 1.0,
    "function, 50": 1.0,
    "descent of 200 steps in one function": 0.4,
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

    digits, labels = tf.constant(array(100, 784)), tf.constant(state.randint(10, size=[100]).astype("int32"))
    trained = [tf.Variable(array(*sizes) * 0.1 - 0.05) for sizes in ((784, 128), (128, 32), (32, 10))]
    trained += [tf.Variable(np.zeros(size, "float32")) for size in (128, 32, 10)]
    descent = tf.train.GradientDescentOptimizer(0.01)

    def train():
        with tf.GradientTape() as tape:
            hidden = digits
            for kernel, bias in zip(trained[:2], trained[3:5]):
                hidden = tf.nn.relu(tf.matmul(hidden, kernel) + bias)
            logits = tf.matmul(hidden, trained[2]) + trained[5]
            value = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        descent.apply_gradients(zip(tape.gradient(value, trained), trained))

    plain = array(10, 10)
    weights = [tf.Variable(array(10)) for _ in range(20)]
    updates = [tf.constant(array(10)) for _ in range(20)]
    adam = tf.train.AdamOptimizer(0.1)
    traced = tf.function(lambda x: x * 2.0 + 1.0)

    points, line = tf.constant(array(32, 8)), [tf.Variable(array(8, 1)), tf.Variable(array(1))]
    heights = tf.constant(array(32, 1))

    @tf.function
    def descend(steps):
        value = 0.0
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                value = tf.reduce_mean(tf.square(tf.matmul(points, line[0]) + line[1] - heights))
            for variable, gradient in zip(line, tape.gradient(value, line)):
                variable.assign_sub(0.01 * gradient)
        return value

    steps = tf.constant(200)

    def many(action, count=50):
        def run():
            for _ in range(count):
                action()

        return run

    return {
        "add, 50": many(lambda: square + square),
        "multiply, 50": many(lambda: square * square),
        "matmul, 50": many(lambda: tf.matmul(square, square)),
        "slice, 50": many(lambda: square[1:3]),
        "read variable, 50": many(lambda: kernels[0].read_value()),
        "constant and back to NumPy, 50": many(lambda: tf.constant(plain).numpy()),
        "gradient of an MLP": gradients,
        "training step of an MLP of 784-128-32-10": train,
        "adam, 20 variables": lambda: adam.apply_gradients(zip(updates, weights)),
        "function, 50": many(lambda: traced(square)),
        "descent of 200 steps in one function": lambda: descend(steps),
    }
