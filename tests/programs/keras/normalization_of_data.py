"""What the layer that normalizes learns of data, and what it makes of it."""

import numpy as np
import tensorflow as tf
from tensorflow.python.keras.layers.preprocessing import normalization_v1

keras = tf.keras
results = {}
x = np.arange(12, dtype="float32").reshape(2, 2, 3) ** 2
for axis in (-1, 1, (1, 2), 2):
    layer = normalization_v1.Normalization(axis=axis)
    layer.adapt(x)
    inputs = keras.Input((2, 3))
    results["{}/outputs".format(axis)] = keras.Model(inputs, layer(inputs)).predict(x)
    for name, value in zip(("mean", "variance", "count"), layer.get_weights()):
        results["{}/{}".format(axis, name)] = value
layer = normalization_v1.Normalization(name="q")
results["config"] = sorted(layer.get_config().items())
layer.adapt(x[:, 0])
layer.adapt(x[:1, 0], reset_state=False)
results["more"] = np.concatenate([np.ravel(value) for value in layer.get_weights()])
layer.adapt(tf.data.Dataset.from_tensor_slices(x[:, 1]).batch(1))
results["dataset"] = np.concatenate([np.ravel(value) for value in layer.get_weights()])
layer.set_weights([np.ones(3), np.ones(3)])
results["count after weights"] = layer.get_weights()[2]
combiner = normalization_v1.Normalization._NormalizingCombiner(-1)
one, other = combiner.compute(x[:, 0]), combiner.compute(x[:, 1])
results["merged"] = np.concatenate([np.ravel(part) for part in combiner.merge([one, other])])
results["bytes"] = combiner.serialize(one)
results["from bytes"] = np.concatenate([np.ravel(part) for part in combiner.deserialize(combiner.serialize(other))])
try:
    normalization_v1.Normalization(axis=0)
except ValueError as error:
    results["axis 0"] = str(error)
