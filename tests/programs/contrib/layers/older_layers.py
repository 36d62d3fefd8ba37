"""tf.contrib.layers: older spellings of its layers, one-layer networks of 0.x, normalization by division, summaries."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, slim

results = {}
random = np.random.RandomState(2)
images = random.randn(2, 6, 6, 4).astype(np.float32)
volume = random.randn(1, 4, 4, 4, 2).astype(np.float32)
rows = random.randn(2, 8, 3).astype(np.float32)
flat = random.randn(3, 5).astype(np.float32)
start = tf.constant_initializer(0.3)

built = {
    "convolution1d": lambda: layers.convolution1d(rows, 2, 3, rate=2, weights_initializer=start),
    "convolution2d": lambda: layers.convolution2d(images, 3, [3, 2], stride=2, weights_initializer=start),
    "convolution3d": lambda: slim.convolution3d(volume, 2, 3, padding="VALID", weights_initializer=start),
    "in_plane": lambda: layers.convolution2d_in_plane(tf.constant(images), [2, 2], weights_initializer=start),
    "transpose": lambda: slim.convolution2d_transpose(images, 2, 3, stride=2, weights_initializer=start),
    "transpose3": lambda: layers.convolution3d_transpose(volume, 2, 2, 2, weights_initializer=start),
    "separable": lambda: layers.separable_convolution2d(
        images, 3, 3, 2, weights_initializer=start, normalizer_fn=layers.batch_norm, normalizer_params={"scale": True}
    ),
    "separable rate": lambda: slim.separable_convolution2d(
        images, None, [3, 3], depth_multiplier=1, rate=2, weights_initializer=start, biases_initializer=None
    ),
    "legacy linear": lambda: layers.legacy_linear(flat, 2, weight_init=start, name="plain"),
    "legacy relu": lambda: layers.legacy_relu(
        tf.constant(rows), 4, weight_init=start, bias_init=None, weight_regularizer=layers.l2_regularizer(0.1)
    ),
    "legacy full": lambda: layers.legacy_fully_connected(
        flat, 2, tf.tanh, weight_init=start, weight_collections=["kept"], output_collections=("made",), trainable=False
    ),
    "gdn": lambda: layers.gdn(tf.constant(images), data_format="channels_last"),
    "gdn inverse": lambda: layers.gdn(
        tf.constant(images)[:, :, :, :2], inverse=True, gamma_init=0.2, beta_min=1e-3, name="back"
    ),
    "GDN": lambda: layers.GDN(inverse=False, reparam_offset=2**-10, name="normalize")(tf.constant(images)),
}
made = {}
for name in sorted(built):
    with tf.variable_scope("scope_" + name.replace(" ", "_")):
        made[name] = built[name]()
results["variables"] = sorted(
    [one.name, str(one.shape), one in tf.trainable_variables()] for one in tf.global_variables()
)
results["ops"] = {name: [made[name].name, str(made[name].shape)] for name in made}
results["collections"] = {
    key: [getattr(one, "name", str(one)) for one in tf.get_collection(key)]
    for key in ("weights", "biases", "activations", "kept", "made", tf.GraphKeys.REGULARIZATION_LOSSES)
}
slopes = tf.gradients(made["gdn"] ** 2, [one for one in tf.global_variables() if one.name.startswith("scope_gdn/")])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    results["values"] = session.run(made)
    results["slopes"] = session.run(slopes)

results["optimizers"] = {name: kind.__name__ for name, kind in layers.OPTIMIZER_CLS_NAMES.items()}
results["summaries"] = list(layers.OPTIMIZER_SUMMARIES)
results["hash"] = layers.SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY

with tf.Graph().as_default():
    x = tf.constant(flat, name="x")
    hidden = tf.nn.relu(x, name="relu6like")
    out = tf.nn.sigmoid(x, name="head/squash")
    scalar = tf.reduce_sum(x, name="total")
    tf.add_to_collection("some", scalar)
    tf.add_to_collection("some", hidden)
    tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, hidden)
    tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, out)
    weights = tf.get_variable("layer/weights", [2], initializer=tf.ones_initializer())
    biases = tf.get_variable("layer/biases", [2], initializer=tf.ones_initializer())
    layers.summarize_activation(hidden)
    layers.summarize_activations()
    layers.summarize_activations("head")
    layers.summarize_tensors([x, scalar])
    layers.summarize_tensor(scalar, "tagged")
    layers.summarize_collection("some", name_filter="tot.*")
    slim.summarize_weights()
    slim.summarize_biases()
    slim.summarize_variables()
    slim.summarize_collection("some", summarizer=lambda tensor: tf.summary.scalar("own", tf.reduce_max(tensor)))
    collected = tf.get_collection(tf.GraphKeys.SUMMARIES)
    results["made"] = [[one.op.type, one.name] for one in collected]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        merged = tf.Summary.FromString(session.run(tf.summary.merge_all()))
    results["tags"] = [
        [value.tag, value.simple_value if value.HasField("simple_value") else value.histo.num] for value in merged.value
    ]
