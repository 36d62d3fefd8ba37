"""The keys that the variables of layers, wrappers, optimizers and metrics have in checkpoints of objects."""

import os
import tempfile

import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
results = {}


def keys(item):
    session = keras.backend.get_session()
    session.run(tf.global_variables_initializer())
    with session.as_default():
        path = tf.train.Checkpoint(item=item).save(os.path.join(tempfile.mkdtemp(), "saved"), session=session)
    return [key for key, _ in tf.train.list_variables(path)]


class Cell(layers.Layer):
    def __init__(self, **settings):
        super(Cell, self).__init__(**settings)
        self.state_size = self.output_size = 2

    def build(self, shape):
        self.matrix = self.add_weight("matrix", [int(shape[-1]), 2])
        self._offset = self.add_weight("offset", [2])
        self.built = True

    def call(self, x, states):
        h = tf.matmul(x, self.matrix) + states[0] + self._offset
        return h, [h]


class Around(layers.Wrapper):
    def build(self, shape):
        self.layer.build(shape)
        super(Around, self).build()

    def call(self, x):
        return self.layer(x)


class Deep(layers.Layer):
    def __init__(self):
        super(Deep, self).__init__()
        self.blocks = [[layers.Dense(2), layers.Dense(2)], {"a": layers.Dense(2)}]
        self._hidden = layers.Dense(2)
        self.__private = layers.Dense(2)

    def call(self, x):
        x = self._hidden(x)
        for layer in self.blocks[0]:
            x = layer(x)
        return self.blocks[1]["a"](x) + self.__private(x)


for name, make, shape in (
    ("dense", lambda: layers.Dense(2), (3,)),
    ("lstm", lambda: layers.LSTM(2), (4, 3)),
    ("gru", lambda: layers.GRU(2), (4, 3)),
    ("cells", lambda: layers.RNN([layers.LSTMCell(2), layers.GRUCell(2)]), (4, 3)),
    ("own cell", lambda: layers.RNN(Cell()), (4, 3)),
    ("both ways", lambda: layers.Bidirectional(layers.LSTM(2)), (4, 3)),
    ("own cell both ways", lambda: layers.Bidirectional(layers.RNN(Cell())), (4, 3)),
    ("over time", lambda: layers.TimeDistributed(layers.Dense(2)), (4, 3)),
    ("normalization", lambda: layers.BatchNormalization(), (3,)),
    ("separable", lambda: layers.SeparableConv2D(2, 2), (4, 4, 3)),
    ("recurrent convolution", lambda: layers.ConvLSTM2D(2, 2), (3, 4, 4, 2)),
    ("embedding", lambda: layers.Embedding(5, 2), (3,)),
    ("slopes", lambda: layers.PReLU(), (3,)),
    ("around", lambda: Around(layers.Dense(2)), (3,)),
    ("deep", Deep, (2,)),
):
    keras.backend.clear_session()
    layer = make()
    layer(keras.Input(shape))
    results[name] = keys(layer), [weight.name for weight in layer.weights]


def trained(optimizer, **settings):
    keras.backend.clear_session()
    inner = keras.Sequential([layers.Dense(2, input_shape=(2,)), layers.BatchNormalization()])
    x = keras.Input((2,))
    model = keras.Model(x, layers.Dense(1)(inner(x)))
    model.compile(optimizer() if callable(optimizer) else optimizer, "mse", **settings)
    model.fit(np.ones([4, 2]), np.ones([4, 1]), verbose=0)
    return keys(model)


for optimizer in ("sgd", "adam", "rmsprop", "adagrad", "adadelta", "adamax", "nadam", "ftrl"):
    results[optimizer] = trained(optimizer)
results["momentum and decay"] = trained(lambda: keras.optimizers.SGD(0.1, momentum=0.9, decay=0.1))
results["centered"] = trained(lambda: keras.optimizers.RMSprop(0.1, momentum=0.9, centered=True))
results["largest"] = trained(lambda: keras.optimizers.Adam(0.1, amsgrad=True))
results["of 1.x"] = trained(lambda: tf.train.AdamOptimizer())
results["schedule"] = trained(lambda: keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 1, 0.5)))
results["metrics"] = trained("sgd", metrics=["mae", "cosine_similarity"])
