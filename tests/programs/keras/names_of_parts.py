"""What checkpoints of objects call the parts of models, and which attributes of graphs of layers are no parts."""

import os
import tempfile

import numpy as np
import tensorflow as tf

keras = tf.keras
results = {}


class Written(keras.Model):
    def __init__(self):
        super(Written, self).__init__()
        self.first = keras.layers.Dense(2)
        self.between = keras.layers.Dropout(0.5)
        self.rest = [keras.layers.Dense(3)]

    def call(self, x):
        return self.rest[0](self.first(x))


class Late(keras.Model):
    def __init__(self):
        super(Late, self).__init__()
        self.first = keras.layers.Dense(1)

    def build(self, shape):
        self.second = keras.layers.Dense(1)
        super(Late, self).build(shape)

    def call(self, x):
        return self.second(self.first(x))


class Derived(keras.Model):
    def __init__(self):
        x = keras.Input((2,))
        super(Derived, self).__init__(x, keras.layers.Dense(2)(x))
        self.extra = keras.layers.Dense(1)
        self.more = [self.extra]
        self.factor = 3


class Graphed(keras.Model):
    def __init__(self):
        super(Graphed, self).__init__()
        self.layer = keras.layers.Dense(1)
        x = keras.Input((2,))
        self._init_graph_network([x], [self.layer(x)], name="graphed")


class Row(keras.Sequential):
    def __init__(self):
        super(Row, self).__init__()
        self.add(keras.layers.Dense(1, input_shape=(2,)))
        self.extra = keras.layers.Dense(2)


def graph():
    x = keras.Input((2,))
    return keras.Model(x, keras.layers.Dense(2)(x))


def with_attributes(model):
    model.extra = keras.layers.Dense(3)
    model.more = [keras.layers.Dense(1)]
    return model


def built(model):
    model.build((None, 2))
    return model


def called(model):
    model(tf.ones([1, 2]))
    return model


def compiled(model):
    model.compile("adam", "mse")
    return model


cases = {
    "written": Written,
    "written, built": lambda: built(Written()),
    "written, called": lambda: called(Written()),
    "late": lambda: built(Late()),
    "graph": graph,
    "graph with attributes": lambda: with_attributes(graph()),
    "graph, compiled": lambda: compiled(graph()),
    "derived": Derived,
    "derived, compiled": lambda: compiled(Derived()),
    "graphed": Graphed,
    "row": Row,
    "one layer": lambda: keras.Sequential([keras.layers.Dense(1, input_shape=(2,))]),
    "layers": lambda: keras.Sequential(
        [keras.layers.Dense(2, input_shape=(2,)), keras.layers.Dropout(0.5), keras.layers.Dense(1)]
    ),
    "layers with attributes": lambda: with_attributes(keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])),
    "unbuilt layers": lambda: with_attributes(keras.Sequential([keras.layers.Dense(1)])),
    "built layers": lambda: built(with_attributes(keras.Sequential([keras.layers.Dense(1)]))),
}
for name, make in cases.items():
    keras.backend.clear_session()
    model = make()
    results[name] = (
        [reference.name for reference in model._checkpoint_dependencies],
        [type(layer).__name__ for layer in model.layers],
    )

for name in ("written, built", "graph with attributes", "derived", "graphed", "one layer", "built layers"):
    keras.backend.clear_session()
    model = cases[name]()
    path = os.path.join(tempfile.mkdtemp(), "weights")
    model.save_weights(path)
    results[name + ": keys"] = [key for key, _ in tf.train.list_variables(path)]
    results[name + ": weights"] = [weight.name for weight in model.weights]

keras.backend.clear_session()
model = Derived()
model.compile("sgd", "mse")
results["trained"] = len(model.fit(np.ones([4, 2]), np.ones([4, 2]), verbose=0).history["loss"])
