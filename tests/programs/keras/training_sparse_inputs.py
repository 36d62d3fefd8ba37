"""Models that take sparse and ragged tensors, or give them, in a graph: predictions and histories."""

import numpy as np
import scipy.sparse
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
results = {}
x = np.array([[1, 0, 3], [2, 2, 0], [0, 4, 0], [1, 1, 1]], "float32")
y = x[:, :1]
matrix = scipy.sparse.csr_matrix(x)


class OfSparse(layers.Layer):
    def call(self, inputs):
        made = tf.sparse.to_dense(inputs)
        made.set_shape([None, 3])
        return made


class OfRagged(layers.Layer):
    def call(self, inputs):
        return inputs.to_tensor(7.0)


class Sparse(layers.Layer):
    def call(self, inputs):
        places = tf.where(tf.not_equal(inputs, 0))
        return tf.SparseTensor(places, tf.gather_nd(inputs, places), tf.shape(inputs, out_type=tf.int64))


class Ragged(layers.Layer):
    def call(self, inputs):
        return tf.RaggedTensor.from_tensor(inputs, padding=0.0)


def network(layer, **kwargs):
    inputs = keras.Input(**kwargs)
    return keras.Model(inputs, layer(inputs))


def regression():
    inputs = keras.Input((3,), sparse=True)
    model = keras.Model(inputs, layers.Dense(1, kernel_initializer="ones")(OfSparse()(inputs)))
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def parts(value):
    if isinstance(value, tf.SparseTensorValue):
        return [np.array(part) for part in (value.indices, value.values, value.dense_shape)]
    return [value.values, value.row_splits]


plain = network(Sparse(), shape=(3,))
for size in (2, 3, 4):
    for i, part in enumerate(parts(plain.predict(x, batch_size=size))):
        results["sparse outputs of {}/{}".format(size, i)] = part
for i, part in enumerate(parts(plain.predict_on_batch(x))):
    results["sparse outputs of one batch/{}".format(i)] = part
for i, part in enumerate(parts(network(Ragged(), shape=(3,)).predict(x, batch_size=2))):
    results["ragged outputs/{}".format(i)] = part
sparse, rows = tf.sparse.from_dense(x), tf.ragged.constant([[1.0, 2.0], [3.0], [], [4.0, 5.0, 6.0]])
results["fit"] = regression().fit(sparse, y, steps_per_epoch=1, verbose=0).history["loss"]
results["dataset"] = regression().evaluate(tf.data.Dataset.from_tensors((sparse, y)), steps=1, verbose=0)
results["a batch of a matrix"] = regression().train_on_batch(matrix, y)
results["ragged"] = network(OfRagged(), shape=(None,), ragged=True).predict(rows, steps=1)
