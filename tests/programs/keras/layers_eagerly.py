"""Layers of tf.keras in eager execution: values, gradients, masks and the names of variables."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
L = tf.keras.layers
results = {}


def show(value):
    """A value as an array."""
    return None if value is None else value.numpy()


def describe(name, layer, *shapes, **options):
    """What a layer gives for random inputs of these shapes, and its gradients."""
    random = np.random.RandomState(len(name))
    draw = options.get("draw", lambda shape: np.round(random.randn(*shape), 2).astype(np.float32))
    inputs = [tf.constant(draw(shape)) for shape in shapes]
    arguments = options.get("arguments", {})
    layer(inputs if len(inputs) > 1 else inputs[0], **arguments)
    layer.set_weights([random.uniform(0.1, 0.9, v.shape).astype(np.float32) for v in layer.get_weights()])
    with tf.GradientTape() as tape:
        tape.watch([x for x in inputs if x.dtype.is_floating])
        outputs = layer(inputs if len(inputs) > 1 else inputs[0], **arguments)
        loss = tf.reduce_sum(tf.sin(outputs) + outputs * outputs)
    sources = layer.trainable_weights + [x for x in inputs if x.dtype.is_floating]
    gradients = [tf.convert_to_tensor(g).numpy() for g in tape.gradient(loss, sources) if g is not None]
    results[name] = {
        "outputs": show(outputs),
        "gradients": [float(g.sum()) for g in gradients],
        "weights": [v.name for v in layer.weights],
        "counted": layer.count_params(),
        "losses": [show(loss) for loss in layer.losses],
        "after": [w.sum() for w in layer.get_weights()],
    }


describe("dense", L.Dense(3, activation="relu", kernel_regularizer="l2", activity_regularizer="l1"), [2, 4])
describe("conv1", L.Conv1D(3, 2, padding="causal"), [2, 5, 2])
describe("conv2", L.Conv2D(3, 2, strides=2), [2, 5, 4, 2])
describe("conv3", L.Conv3D(2, 2), [1, 3, 3, 3, 2])
describe("transposed", L.Conv2DTranspose(3, 2, strides=2), [2, 3, 3, 2])
describe("separable", L.SeparableConv2D(3, 2), [2, 4, 4, 2])
describe("depthwise", L.DepthwiseConv2D(2), [2, 4, 4, 2])
describe("local1", L.LocallyConnected1D(2, 2), [2, 4, 2])
describe("local2", L.LocallyConnected2D(2, 2, implementation=2), [2, 3, 3, 2])
describe("local3", L.LocallyConnected2D(2, 2, implementation=3), [2, 3, 3, 2])
describe("norm", L.BatchNormalization(momentum=0.5), [4, 3], arguments={"training": True})
describe("norm_fused", L.BatchNormalization(momentum=0.5), [4, 3, 3, 2], arguments={"training": True})
describe("norm_off", L.BatchNormalization(), [4, 3])
describe("layer_norm", L.LayerNormalization(), [4, 3])
describe("pooling", L.MaxPooling2D(), [2, 4, 4, 2])
describe("average", L.AveragePooling1D(), [2, 4, 2])
describe("global", L.GlobalMaxPooling2D(), [2, 4, 4, 2])
describe("padding", L.ZeroPadding2D(1), [2, 2, 2, 2])
describe("cropping", L.Cropping1D(1), [2, 4, 2])
describe("upsampling", L.UpSampling2D(2, interpolation="bilinear"), [2, 2, 2, 2])
describe("attention", L.Attention(use_scale=True), [2, 3, 4], [2, 5, 4])
describe("additive", L.AdditiveAttention(), [2, 3, 4], [2, 5, 4])
describe("prelu", L.PReLU(), [2, 3])
describe("relu", L.ReLU(1.0, 0.1, 0.2), [2, 3])
describe("merged", L.Average(), [2, 3], [2, 3])
describe("joined", L.Concatenate(axis=0), [2, 3], [1, 3])
describe("dot", L.Dot(1, normalize=True), [2, 3], [2, 3])
describe("reshape", L.Reshape((2, -1)), [2, 6])
describe("dropout", L.Dropout(0.5), [2, 6])
describe("embedding", L.Embedding(5, 3), [2, 4], draw=lambda shape: np.arange(8).reshape(shape) % 5)
describe("function", L.Lambda(lambda t: t * 2.0), [2, 3])

masked = L.Masking(0.0)(tf.constant([[[1.0, 2.0], [0.0, 0.0]], [[3.0, 4.0], [5.0, 6.0]]]))
results["masked"] = show(masked)
results["mask"] = show(masked._keras_mask)
results["mean of masked"] = show(L.GlobalAveragePooling1D()(masked))
words = L.Embedding(4, 2, mask_zero=True)
words.build((None, 3))
words.set_weights([np.arange(8.0).reshape(4, 2)])
found = words(tf.constant([[1, 0, 3]]))
results["words"] = [show(found), show(words.compute_mask(tf.constant([[1, 0, 3]]))), show(found._keras_mask)]
layer = L.Lambda(lambda t: t + tf.Variable(2.0, name="two"))
results["variable of a function"] = [show(layer(tf.constant([1.0]))), show(layer(tf.constant([3.0])))]
results["names of variables"] = [v.name for v in layer.weights]
layer = L.BatchNormalization(momentum=0.5)
layer(tf.constant([[1.0], [3.0]]), training=True)
results["moving averages"] = [v.numpy() for v in layer.weights]
results["shape of a function"] = L.Lambda(lambda t: t[:, :2]).compute_output_shape((5, 3)).as_list()
