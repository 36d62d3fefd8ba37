"""Models whose layers are attributes and in lists or dicts too: their weights are told once for each."""

import numpy as np
import tensorflow as tf

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("FATAL")
K, L, keras = tf.keras.backend, tf.keras.layers, tf.keras
X = np.linspace(-1, 1, 6).reshape(2, 3).astype("float32")
results = {}


def numbered(base):
    class Numbered(base):
        def __init__(self):
            super(Numbered, self).__init__(name="n")
            self.all = []
            for i in range(2):
                self.all.append(L.Dense(3, kernel_initializer="ones", kernel_regularizer="l2", name="d%d" % i))
                setattr(self, "layer%d" % i, self.all[-1])

        def call(self, x):
            for layer in self.all:
                x = layer(x)
            return x

    return Numbered()


def nested(base):
    class Nested(base):
        def __init__(self):
            super(Nested, self).__init__(name="m")
            self.table = {2: L.Dense(3, name="b"), 1: [L.BatchNormalization(name="a")]}
            self.again = {"k": self.table[2], "z": self.table}
            self.scale = tf.Variable(2.0, name="scale")
            self.numbers = [self.scale, tf.Variable(1.0, name="shift", trainable=False)]
            self.numbers.append(tf.Variable(0.5, name="late"))

        def call(self, x):
            return self.table[1][0](self.table[2](x)) * self.scale

    return Nested()


def told(model):
    model(X)
    found = {
        "weights": [w.name for w in model.weights],
        "trained": [w.name for w in model.trainable_weights],
        "others": [w.name for w in model.non_trainable_weights],
        "numbers": [len(model.get_weights()), model.count_params(), len(model.losses)],
    }
    model.trainable = False
    found["frozen"] = [len(model.trainable_weights), len(model.non_trainable_weights)]
    if hasattr(model, "layers"):
        found["layers"] = [(layer.name, layer.trainable) for layer in model.layers]
    model.trainable = True
    found["thawed"] = len(model.trainable_weights)
    return found


def trained(eagerly):
    model = numbered(keras.Model)
    model.compile("sgd", "mse", run_eagerly=eagerly)
    history = model.fit(X, np.ones((2, 3), "float32"), epochs=2, verbose=0).history
    model.set_weights(model.get_weights())
    return [round(float(v), 4) for v in history["loss"]], [np.round(w, 4).tolist() for w in model.get_weights()]


def stepped():
    """A loop of one's own gets the gradients of a weight as often as the model tells it."""
    model = numbered(keras.Model)
    optimizer = keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(X) - 1.0))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return len(gradients), [np.round(w, 4).tolist() for w in model.get_weights()]


for kind in (keras.Model, L.Layer):
    results["numbered " + kind.__name__] = told(numbered(kind))
results["nested Model"] = told(nested(keras.Model))
results["trained"] = trained(False)
results["trained eagerly"] = trained(True)
results["stepped"] = stepped()
# What is printed of a variable begins on a line of its own where it takes several, as that of a tensor.
results["a vector"] = repr(tf.Variable([1.0, 2.0], name="v"))
results["a matrix"] = repr(tf.Variable([[1.0], [2.0]], name="v"))
results["texts"] = str(tf.Variable([["a"], ["b"]], name="v"))
policy = keras.mixed_precision.experimental.Policy("mixed_float16")
half = L.Dense(1, kernel_initializer="ones", dtype=policy)
half(tf.ones([1, 2]))
results["cast"] = repr(half.kernel)
