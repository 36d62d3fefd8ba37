"""Models of symbolic tensors and values: arrays, eager tensors and variables; models made anew after the graph was cleared."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
K = tf.keras.backend
layers = tf.keras.layers
results = {}

row = np.full((1, 3), 2.0, "float32")
KINDS = {
    "array": lambda: row,
    "tensor": lambda: tf.constant(row),
    "variable": lambda: tf.Variable(row),
    "computed": lambda: tf.constant(row) * 3,
    "of_variable": lambda: K.variable(row) * 3.0,
}
for kind in sorted(KINDS):
    K.clear_session()
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, layers.Add()([inputs, KINDS[kind]()]))
    results[kind] = {
        "layers": [[type(layer).__name__, layer.name] for layer in model.layers],
        "output": model.predict(np.ones((2, 3))),
        "weights": len(model.weights),
    }


class Counting(layers.Layer):
    """Counts what it sees in training, by an update that a branch of its own makes."""

    def __init__(self):
        super(Counting, self).__init__()
        self.seen = tf.Variable(0.0, trainable=False)

    def call(self, inputs, training=None):
        if training:
            total = tf.reduce_sum(inputs)
            self.add_update(lambda: self.seen.assign_add(total))
        return inputs


counting = Counting()
model = tf.keras.Sequential([counting, layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)
model.evaluate(np.ones((4, 3)), np.ones((4, 1)), verbose=0)
results["counted"] = counting.seen.numpy()

losses = []
kept = []
for _ in range(3):
    K.clear_session()
    net = tf.keras.Sequential(
        [layers.Dense(2, kernel_initializer="ones", input_shape=(3,)), layers.Dense(1, kernel_initializer="ones")]
    )
    net.compile(tf.keras.optimizers.SGD(0.01), "mse")
    kept.append(net)
    losses.append([each.train_on_batch(np.ones((2, 3)), np.ones((2, 1))) for each in kept])
    net.predict(np.ones((2, 3)))
results["after_clearing"] = losses
