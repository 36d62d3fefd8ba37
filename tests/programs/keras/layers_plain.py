"""Layers of tf.keras without space: values, masks, gradients, names of operations and variables, settings and shapes."""

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


describe("activation", L.Activation("relu"), [3])
describe("activation_tanh", L.Activation(tf.nn.tanh, name="t"), [3, 2])
describe("activity", L.ActivityRegularization(0.1, 0.2), [3])
describe("masking", L.Masking(0.5), [4, 3])
describe("permute", L.Permute((2, 1)), [4, 3])
describe("permute3", L.Permute((3, 1, 2)), [4, 3, 2])
describe("repeat", L.RepeatVector(3), [3])
describe("reshape", L.Reshape((3, 4)), [12])
describe("reshape_unknown", L.Reshape((-1, 2)), [4, 3])
describe("flatten", L.Flatten(), [4, 3])
describe("flatten_first", L.Flatten("channels_first"), [4, 3, 2])
describe("flatten_vector", L.Flatten(), [])
describe("dense", L.Dense(5, activation="tanh"), [3])
describe("dense_long", L.Dense(5, use_bias=False, kernel_initializer="he_normal"), [4, 3])
layer = L.Dense(2, kernel_regularizer=tf.keras.regularizers.l2(0.1), bias_regularizer="l1", activity_regularizer="l2")
describe("dense_losses", layer, [3])
layer = L.Dense(2, kernel_constraint="non_neg", bias_constraint=tf.keras.constraints.MaxNorm(2.0), dtype="float64")
describe("dense_constraints", layer, [3], dtype=tf.float64)
layer = L.Dropout(0.4)
describe("dropout_off", layer, [3], arguments={"training": False})
describe("dropout_masked", L.Dropout(0.4), [3, 2], call=masked(L.Dropout(0.4)), arguments={"training": False})
describe("spatial1", L.SpatialDropout1D(0.5), [4, 3])

for kind in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"):
    describe(kind, getattr(L, kind)(), [3], [3])
    describe(kind + "_ranks", getattr(L, kind)(), [3], [4, 3])
    describe(kind + "_broadcast", getattr(L, kind)(), [1, 3], [4, 1])
    layer = getattr(L, kind)()
    describe(kind + "_masks", layer, [4, 3], [4, 3], call=masked(layer))
describe("Add_three", L.Add(name="sum"), [3], [3], [3])
describe("Concatenate", L.Concatenate(), [3], [2])
describe("Concatenate_axis", L.Concatenate(axis=1), [4, 3], [2, 3])
layer = L.Concatenate(axis=1)
describe("Concatenate_masks", layer, [4, 3], [2, 3], call=masked(layer))
layer = L.Concatenate()
describe("Concatenate_last_masks", layer, [4, 3], [4, 2], call=masked(layer))
describe("Dot", L.Dot(1), [3], [3])
describe("Dot_normalized", L.Dot(axes=(2, 1), normalize=True), [3, 4], [4, 2])
describe("Dot_last", L.Dot((-1, -1)), [3, 4], [2, 4])
describe("Dot_first", L.Dot(1), [4, 3], [4, 2])
describe("Dot_ranks", L.Dot((1, 2)), [4], [3, 4])

describe("leaky", L.LeakyReLU(), [3])
describe("prelu", L.PReLU(alpha_regularizer="l2"), [3, 4])
describe("prelu_shared", L.PReLU(shared_axes=[1]), [3, 4])
describe("elu", L.ELU(), [3])
describe("elu_half", L.ELU(0.5), [3])
describe("thresholded", L.ThresholdedReLU(0.5), [3])
describe("softmax", L.Softmax(), [3])
describe("softmax_axis", L.Softmax(axis=1), [3, 4])
describe("relu", L.ReLU(), [3])
describe("relu6", L.ReLU(6), [3])
describe("relu_bounded", L.ReLU(0.5), [3])
describe("relu_slope", L.ReLU(negative_slope=0.3), [3])
describe("relu_threshold", L.ReLU(threshold=0.2), [3])
describe("relu_all", L.ReLU(1.5, 0.1, 0.2), [3])
describe("relu_slope_threshold", L.ReLU(None, 0.3, 0.2), [3])

np.random.seed(5)
for kind in ("GaussianNoise", "GaussianDropout", "AlphaDropout"):
    describe(kind, getattr(L, kind)(0.3), [3], arguments={"training": True})
    describe(kind + "_off", getattr(L, kind)(0.3), [3], arguments={"training": False})
    describe(kind + "_phase", getattr(L, kind)(0.3), [3])
    describe(kind + "_none", getattr(L, kind)(0.0), [3], arguments={"training": True}) if kind[0] != "G" else None
describe("AlphaDropout_seed", L.AlphaDropout(0.5, noise_shape=(1, 3), seed=4), [3], arguments={"training": True})

describe("embedding", L.Embedding(5, 4), [3], dtype=tf.int32)
describe("embedding_mask", L.Embedding(5, 4, mask_zero=True, input_length=3), [3], dtype=tf.int64)
describe("embedding_deep", L.Embedding(5, 2, embeddings_regularizer="l2", name="e"), [3, 2], dtype=tf.int32)
describe("embedding_bytes", L.Embedding(5, 2, embeddings_constraint="unit_norm"), [3], dtype=tf.uint8)

describe("layer_norm", L.LayerNormalization(), [3, 4])
describe("layer_norm_axes", L.LayerNormalization([1, 2], scale=False), [3, 4])
describe("layer_norm_axis", L.LayerNormalization(axis=1, center=False, epsilon=0.1), [3, 4])

describe("attention", L.Attention(), [3, 4], [2, 4], shape=False)
describe("attention_key", L.Attention(use_scale=True, causal=True), [3, 4], [2, 4], [2, 4], shape=False)
layer = L.Attention()
describe("attention_masks", layer, [3, 4], [2, 4], call=masked(layer), shape=False)
layer = L.Attention(causal=True)
describe("attention_causal_masks", layer, [3, 4], [3, 4], call=masked(layer), shape=False)
describe("additive", L.AdditiveAttention(), [3, 4], [2, 4], shape=False)
describe("additive_plain", L.AdditiveAttention(use_scale=False), [3, 4], [2, 4], shape=False)
