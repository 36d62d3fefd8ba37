"""Layers of tf.keras over sequences, images and volumes: values, gradients, names, settings and shapes."""

import numpy as np
import tensorflow as tf

L = tf.keras.layers
results = {}


def plain(value):
    """Settings as lists, numbers and strings."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.tolist() if hasattr(value, "tolist") else value


def digest(value):
    """What tells arrays of a shape apart: a few sums."""
    value = value.astype(np.float64)
    places = np.arange(value.size).reshape(value.shape) % 11
    return [list(value.shape), float(value.sum()), float(np.abs(value).sum()), float((value * places).sum())]


def describe(name, layer, *shapes, **options):
    """Everything there is to compare of a layer called on inputs of these shapes."""
    dtype = options.get("dtype", tf.float32)
    arguments = options.get("arguments", {})
    random = np.random.RandomState(len(name))
    inputs = [tf.placeholder(dtype, [None] + list(shape), name="x") for shape in shapes]
    call = options.get("call", layer)
    outputs = call(inputs if len(inputs) > 1 else inputs[0], **arguments)
    graph = tf.get_default_graph()
    skipped = ("/Initializer/", "/IsInitialized/")
    found = {
        "ops": " ".join(
            op.name + ":" + op.type for op in graph.get_operations() if not any(part in op.name for part in skipped)
        ),
        "output": [outputs.name, str(outputs.shape), outputs.dtype.name],
        "weights": [[v.name, v.shape.as_list(), v.dtype.base_dtype.name] for v in layer.weights],
        "trainable": [v.name for v in layer.trainable_weights],
        "losses": [loss.name for loss in layer.losses],
        "config": plain(layer.get_config()),
        "settings": sorted(layer.get_config()),
        "masking": layer.supports_masking,
    }
    sizes = [[None] + list(shape) for shape in shapes]
    if options.get("shape", True):
        known = layer.compute_output_shape([tuple(s) for s in sizes] if len(sizes) > 1 else tuple(sizes[0]))
        found["shape"] = tf.TensorShape(known).as_list()
    mask = getattr(outputs, "_keras_mask", None)
    feed = {}
    for x, shape in zip(inputs, shapes):
        size = [options.get("batch", 4)] + [3 if s is None else s for s in shape]
        if dtype.is_integer:
            feed[x] = random.randint(0, 5, size)
        else:
            feed[x] = np.round(random.randn(*size), 2)
    with tf.Session() as sess:
        for v in layer.weights:
            v.load(random.uniform(0.1, 0.9, v.shape.as_list()).astype(v.dtype.base_dtype.as_numpy_dtype), sess)
        found["values"] = sess.run(outputs, feed)
        if mask is not None:
            found["mask"] = [mask.name, sess.run(mask, feed)]
        if layer.losses:
            found["loss"] = sess.run(layer.losses, feed)
        if outputs.dtype.is_floating:
            sources = list(layer.trainable_weights) + ([] if dtype.is_integer else inputs)
            loss = tf.reduce_sum(tf.sin(outputs) + outputs * outputs)
            gradients = tf.gradients(loss, sources)
            known = [tf.convert_to_tensor(g) for g in gradients if g is not None]
            found["gradients"] = [[g is not None for g in gradients], [digest(g) for g in sess.run(known, feed)]]
    again = type(layer).from_config(layer.get_config())
    found["again"] = plain(again.get_config()) == found["config"]
    results[name] = found
    tf.reset_default_graph()


def masked(layer, value=0.5):
    """The layer on inputs with a mask."""

    def call(inputs, **arguments):
        if isinstance(inputs, list):
            return layer([L.Masking(value)(x) for x in inputs], **arguments)
        return layer(L.Masking(value)(inputs), **arguments)

    return call


for first in (False, True):
    layout = "channels_first" if first else "channels_last"

    def sizes(channels, *space):
        return [channels] + list(space) if first else list(space) + [channels]

    def of(kind, *args, **kwargs):
        return getattr(L, kind)(*args, data_format=layout, **kwargs)

    def check(name, layer, *shapes, **options):
        describe(name + ("_first" if first else ""), layer, *shapes, batch=2, **options)

    check("LocallyConnected1D_1", of("LocallyConnected1D", 3, 2, activation="tanh"), sizes(2, 5))
    check("LocallyConnected2D_1", of("LocallyConnected2D", 3, (2, 3), strides=(1, 2)), sizes(2, 4, 5))
    check("LocallyConnected1D_2", of("LocallyConnected1D", 3, 2, implementation=2, padding="same"), sizes(2, 5))
    check("LocallyConnected2D_2", of("LocallyConnected2D", 2, 2, implementation=2, strides=2), sizes(2, 4, 3))
    check(
        "LocallyConnected1D_3", of("LocallyConnected1D", 3, 3, implementation=3, padding="same", strides=2), sizes(2, 5)
    )
    check("LocallyConnected2D_3", of("LocallyConnected2D", 2, 2, implementation=3, use_bias=False), sizes(2, 4, 3))
    check("Cropping2D", of("Cropping2D", ((1, 0), (1, 2))), sizes(2, 4, 5))
    check("Cropping3D", of("Cropping3D", (1, 0, 1)), sizes(2, 4, 3, 4))
    check("ZeroPadding2D", of("ZeroPadding2D", ((1, 0), (1, 2))), sizes(2, 2, 3))
    check("ZeroPadding3D", of("ZeroPadding3D", (1, 0, 2)), sizes(2, 2, 3, 1))
    check("UpSampling2D", of("UpSampling2D", (2, 3)), sizes(2, 2, 3))
    check("UpSampling2D_bilinear", of("UpSampling2D", 2, interpolation="bilinear"), sizes(2, 2, 3))
    check("UpSampling3D", of("UpSampling3D", (2, 1, 3)), sizes(2, 2, 3, 2))
    for dimensions in (1, 2, 3):
        for kind in ("Average", "Max"):
            check(
                kind + str(dimensions), of("Global%sPooling%dD" % (kind, dimensions)), sizes(2, *[3, 2, 4][:dimensions])
            )
    check("MaxPooling1D", of("MaxPooling1D", 2, 1, "same"), sizes(2, 5))
    check("AveragePooling1D", of("AveragePooling1D", 3), sizes(2, 7))
    check("MaxPooling3D", of("MaxPooling3D", (2, 1, 2)), sizes(2, 4, 3, 4))
    check("AveragePooling3D", of("AveragePooling3D", 2, 1, "same"), sizes(2, 3, 2, 3))
    check("Conv2DTranspose", of("Conv2DTranspose", 3, 2, strides=2, output_padding=1), sizes(2, 3, 4))
    check("DepthwiseConv2D", of("DepthwiseConv2D", 3, depth_multiplier=2, activation="relu"), sizes(2, 5, 4))
    check(
        "DepthwiseConv2D_same", of("DepthwiseConv2D", (2, 3), strides=2, padding="same", use_bias=False), sizes(2, 5, 4)
    )

describe("Cropping1D", L.Cropping1D((1, 2)), [6, 2])
describe("Cropping1D_none", L.Cropping1D(0), [6, 2])
describe("ZeroPadding1D", L.ZeroPadding1D((1, 2)), [3, 2])
describe("UpSampling1D", L.UpSampling1D(3), [4, 2])
describe("UpSampling1D_unknown", L.UpSampling1D(2), [None, 2])
describe("UpSampling2D_unknown", L.UpSampling2D(2), [None, None, 2])
layer = L.GlobalAveragePooling1D()
describe("GlobalAveragePooling1D_masked", layer, [4, 3], call=masked(layer))

describe("Conv1D", L.Conv1D(4, 3, padding="same", activation="relu", kernel_regularizer="l2"), [6, 2])
describe("Conv1D_causal", L.Conv1D(3, 2, padding="causal", dilation_rate=2), [6, 2])
describe("Conv1D_strided", L.Conv1D(3, 2, strides=2, use_bias=False), [6, 2])
describe("Conv2D", L.Conv2D(4, (3, 2), strides=(2, 1), bias_regularizer="l1"), [6, 5, 2])
describe("Conv2D_dilated", L.Conv2D(4, 3, dilation_rate=2, padding="same"), [6, 5, 2])
describe("Conv3D", L.Conv3D(2, 2, activation="sigmoid"), [3, 4, 3, 2])
describe("Conv3DTranspose", L.Conv3DTranspose(2, 2, strides=2, output_padding=1), [2, 3, 2, 2], batch=2)
describe("Conv2DTranspose_same", L.Conv2DTranspose(3, 3, padding="same", strides=(1, 2)), [3, 4, 2])
describe("SeparableConv1D", L.SeparableConv1D(3, 2, padding="causal", depth_multiplier=2), [6, 2])
describe("SeparableConv2D", L.SeparableConv2D(3, 2, strides=2, activation="tanh"), [6, 5, 2])
describe("MaxPooling2D", L.MaxPooling2D(), [5, 4, 2])
describe("AveragePooling2D", L.AveragePooling2D(3, (2, 1), "same"), [5, 4, 2])

for training in (True, False):
    given = {"training": training}
    describe("norm_%s" % training, L.BatchNormalization(), [3], arguments=given)
    describe("norm_fused_%s" % training, L.BatchNormalization(scale=False), [3, 2, 2], arguments=given)
    describe("norm_axis_%s" % training, L.BatchNormalization(axis=1, epsilon=0.1), [3, 2], arguments=given)
    describe("norm_axes_%s" % training, L.BatchNormalization(axis=[1, 2], center=False), [3, 2], arguments=given)
    clipping = {"rmax": 1.5, "rmin": 0.5, "dmax": 0.3}
    layer = L.BatchNormalization(renorm=True, renorm_clipping=clipping, renorm_momentum=0.8)
    describe("norm_renorm_%s" % training, layer, [3], arguments=given)
    describe("norm_virtual_%s" % training, L.BatchNormalization(virtual_batch_size=2), [3], arguments=given)
layer = L.BatchNormalization(beta_regularizer="l2", gamma_constraint="non_neg")
describe("norm_phase", layer, [3, 2, 2])
