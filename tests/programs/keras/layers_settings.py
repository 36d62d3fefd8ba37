"""Layers of tf.keras as settings and back, the program's own among them, and Lambda layers of all kinds."""

import warnings

import numpy as np
import tensorflow as tf

L = tf.keras.layers
results = {}


class Scaled(L.Layer):
    """A layer of the program's own."""

    def __init__(self, factor, **kwargs):
        super(Scaled, self).__init__(**kwargs)
        self.factor = factor

    def call(self, inputs):
        return inputs * self.factor

    def get_config(self):
        config = super(Scaled, self).get_config()
        config["factor"] = self.factor
        return config


def plain(value):
    """Settings as lists, numbers and strings."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


layers = [
    L.Dense(3, activation="relu", kernel_regularizer=tf.keras.regularizers.l1_l2(0.1, 0.2)),
    L.Dense(3, kernel_initializer=tf.keras.initializers.VarianceScaling(2.0, "fan_out"), trainable=False),
    L.Dense(3, input_shape=(4,), dtype="float64"),
    L.Conv2D(3, 2, data_format="channels_first", dtype="float32"),
    L.Conv1D(3, 2, batch_input_shape=(2, 5, 3)),
    L.SeparableConv2D(3, 2, depthwise_constraint="max_norm"),
    L.DepthwiseConv2D(2, depthwise_initializer="orthogonal"),
    L.Conv3DTranspose(2, 2, output_padding=None),
    L.BatchNormalization(axis=1, moving_variance_initializer="zeros"),
    L.LayerNormalization(axis=(1, 2)),
    L.PReLU(shared_axes=2, alpha_constraint="non_neg"),
    L.ReLU(6.0, 0.1),
    L.Embedding(5, 4, input_length=3, mask_zero=True),
    L.Embedding(5, 4, input_length=(3, None), embeddings_initializer="normal"),
    L.LocallyConnected2D(2, 3, implementation=2, bias_constraint=tf.keras.constraints.UnitNorm(axis=1)),
    L.Dropout(0.3, noise_shape=(None, 1), seed=3),
    L.AlphaDropout(0.3, seed=3),
    L.Dot((1, 2), normalize=True),
    L.Concatenate(axis=1, name="joined"),
    L.UpSampling2D((2, 3), interpolation="bilinear"),
    L.ZeroPadding3D((1, (2, 3), 0)),
    L.Attention(use_scale=True, causal=True),
    L.AveragePooling1D(3, 2, "same"),
    L.ActivityRegularization(l2=0.5),
]
for i, layer in enumerate(layers):
    saved = L.serialize(layer)
    again = L.deserialize(saved)
    results["layer %d" % i] = [plain(saved), type(again).__name__, plain(again.get_config()) == plain(saved["config"])]
    results["keys %d" % i] = list(saved["config"])

for name in ("BatchNormalizationV1", "BatchNormalizationV2", "Convolution2D", "GlobalMaxPool1D", "Deconv2D"):
    arguments = {"filters": 2, "kernel_size": 3} if name[-2:] == "2D" else {}
    results[name] = type(L.deserialize({"class_name": name, "config": arguments})).__name__

saved = L.serialize(Scaled(3.0, name="own"))
results["own"] = [plain(saved), L.deserialize(saved, custom_objects={"Scaled": Scaled}).factor]
with tf.keras.utils.CustomObjectScope({"Scaled": Scaled}):
    results["own in scope"] = L.deserialize(saved).factor
try:
    L.deserialize(saved)
except ValueError as error:
    results["own unknown"] = str(error)


def double(inputs, mask=None, training=None, times=1):
    """A function with all that a Lambda layer may give it."""
    outputs = inputs * (2 * times)
    if training:
        outputs = outputs + 1.0
    return outputs if mask is None else outputs - 3.0


x = tf.placeholder(tf.float32, [None, 2, 3], name="x")
feed = {x: np.arange(12.0).reshape(2, 2, 3)}
layer = L.Lambda(double, arguments={"times": 3}, name="lambda_double")
config = layer.get_config()
results["lambda"] = [
    config["function_type"],
    config["output_shape"],
    config["output_shape_type"],
    plain(config["arguments"]),
]
again = L.Lambda.from_config(config)
outputs = [layer(x), layer(L.Masking(0.0)(x), training=True)]
results["lambda outputs"] = [output.name for output in outputs]
results["lambda masks"] = [getattr(output, "_keras_mask", None) is None for output in outputs]
outputs.append(again(x))
layer = L.Lambda(lambda t: t + 1.0, output_shape=(2, 3), mask=lambda inputs, mask: mask)
results["lambda shape"] = layer.compute_output_shape((None, 7)).as_list()
results["lambda supports"] = layer.supports_masking
masked = layer(L.Masking(0.0)(x))
outputs += [masked, masked._keras_mask]
config = layer.get_config()
results["lambda keys"] = sorted(config)
results["lambda raw"] = [config["output_shape"], config["output_shape_type"], config["mask_type"]]
layer = L.Lambda(lambda t: t, output_shape=lambda shape: shape[:1] + (5,))
results["lambda function of shape"] = layer.compute_output_shape((None, 7)).as_list()
layer = L.Lambda(lambda t: [t, t * 2.0], name="two")
outputs += layer(x)
made = L.Lambda.from_config(L.Lambda(lambda t, k=2.0: t * 5.0 * k).get_config())
outputs.append(made(x))


def with_closure(times):
    return lambda t: t * times


outputs.append(L.Lambda.from_config(L.Lambda(with_closure(7.0)).get_config())(x))
layer = L.Lambda(lambda t: t * tf.Variable(tf.ones([3]) * 2.0, name="scale"), name="own_variable")
outputs += [layer(x), layer(x)]
results["lambda variables"] = [[v.name for v in layer.weights], [v.name for v in layer.trainable_weights]]
named = {"function": "double", "function_type": "function", "module": "nowhere", "arguments": {}}
named.update({"output_shape": None, "output_shape_type": "raw", "output_shape_module": None})
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    layer = L.Lambda.from_config(named, custom_objects={"double": double})
    named["arguments"] = {"times": {"type": "ndarray", "value": [1.0, 2.0, 3.0]}}
    outputs += [layer(x), L.Lambda.from_config(named, custom_objects={"double": double})(x)]
results["lambda warnings"] = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["lambda values"] = sess.run(outputs, feed)
