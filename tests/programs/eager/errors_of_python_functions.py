"""What an eager `py_function` raises for what its function raises."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
RAISED = [
    ZeroDivisionError("by zero"),
    TypeError("type"),
    ValueError("value"),
    StopIteration(),
    MemoryError("memory"),
    NotImplementedError("missing"),
    KeyError("key"),
    RuntimeError("run"),
    tf.errors.NotFoundError(None, None, "file"),
]


def failing(error):
    def function(x):
        raise error

    return function


for error in RAISED:
    try:
        tf.py_function(failing(error), [1], tf.int32)
    except Exception as caught:
        results[type(error).__name__] = [type(caught).__name__, str(caught).split("\n")[0]]

with tf.GradientTape() as tape:
    x = tf.constant(3.0)
    tape.watch(x)
    y = tf.py_function(lambda value: value * value, [x], tf.float32)
results["gradient"] = tape.gradient(y, x).numpy()
