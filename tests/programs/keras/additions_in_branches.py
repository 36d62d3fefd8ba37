"""Losses, metrics and updates that a layer adds in a branch that depends on a tensor: of symbolic inputs and in functions."""

import tensorflow as tf

tf.compat.v1.enable_v2_behavior()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}


class Losing(tf.keras.layers.Layer):
    def call(self, x, training=None):
        if tf.reduce_sum(x) > 0.0:
            self.add_loss(tf.reduce_sum(x))
        return x


class Measuring(tf.keras.layers.Layer):
    def call(self, x, training=None):
        if training:
            self.add_metric(tf.reduce_sum(x), name="sum", aggregation="mean")
        return x


class Counting(tf.keras.layers.Layer):
    def build(self, shape):
        self.count = self.add_weight("count", shape=[], initializer="zeros", trainable=False)

    def call(self, x, training=None):
        if training:
            self.add_update(self.count.assign_add(1.0))
        return x


class Regularized(tf.keras.layers.Layer):
    def __init__(self):
        super(Regularized, self).__init__()
        self.inner = tf.keras.layers.Dense(2, activity_regularizer="l2")

    def call(self, x):
        if tf.reduce_sum(x) > 0.0:
            y = self.inner(x)
        else:
            y = -self.inner(x)
        return y


class Nested(tf.keras.layers.Layer):
    def __init__(self):
        super(Nested, self).__init__()
        self.inner = tf.keras.layers.Dropout(0.5)

    def call(self, x, training=None):
        i = tf.constant(0)
        while i < 2:
            x = self.inner(x, training=training)
            i += 1
        return x


def outcome(call):
    try:
        call()
        return "taken"
    except (RuntimeError, ValueError, TypeError) as error:
        return type(error).__name__, "control flow branch" in str(error)


for kind in (Losing, Measuring, Counting, Regularized, Nested):
    layer = kind()
    results[kind.__name__] = [outcome(lambda layer=layer: layer(tf.keras.Input((3,)))), len(layer.losses)]
losing = Losing()
results["in a function"] = outcome(lambda: tf.function(lambda x: losing(x))(tf.ones([1, 3])))
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, Nested()(inputs))
model.compile("sgd", "mse")
results["a model"] = outcome(lambda: model.predict(tf.ones([2, 3])))
