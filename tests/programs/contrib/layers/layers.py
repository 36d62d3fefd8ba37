"""tf.contrib.layers: values, names of operations and variables, collections, training steps and regularizers."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.layers.python.layers.optimizers import adaptive_clipping_fn

layers = tf.contrib.layers
arg_scope = tf.contrib.framework.arg_scope
results = {}
R = np.random.RandomState(11)


def describe(outputs, feed, train=True, names=True):
    graph = tf.get_default_graph()
    found = {
        "variables": [[v.name, v.shape.as_list()] for v in tf.global_variables()],
        "trainable": [v.name for v in tf.trainable_variables()],
        "model": [v.name for v in tf.contrib.framework.get_model_variables()],
        "collections": {
            key: [getattr(item, "name", "?") for item in graph.get_collection(key)]
            for key in sorted(k for k in graph.get_all_collection_keys() if isinstance(k, str) and k != "cond_context")
        },
        "outputs": [[o.name, str(o.shape)] for o in outputs],
    }
    if names:
        found["ops"] = [op.name + ":" + op.type for op in graph.get_operations()]
    loss = tf.add_n([tf.reduce_mean(tf.square(o)) for o in outputs] + tf.losses.get_regularization_losses())
    r = np.random.RandomState(3)
    with tf.Session() as sess:
        for v in tf.global_variables():
            if v.dtype.base_dtype == tf.float32:
                v.load(r.uniform(0.1, 0.9, v.shape.as_list()).astype(np.float32), sess)
            else:
                v.load(np.zeros(v.shape.as_list(), np.int64), sess)
        found["values"] = sess.run(outputs, feed)
        if train:
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
            for _ in range(2):
                sess.run(step, feed)
            found["after"] = [[float(v.sum()), float(abs(v).sum())] for v in sess.run(tf.global_variables())]
    tf.reset_default_graph()
    return found


x = tf.placeholder(tf.float32, [None, 5], name="x")
a = layers.fully_connected(x, 4, weights_regularizer=layers.l2_regularizer(0.01), outputs_collections="outs")
b = layers.fully_connected(
    a, 3, normalizer_fn=layers.batch_norm, normalizer_params={"decay": 0.9}, activation_fn=None, scope="fc"
)
with tf.variable_scope("fc", reuse=True):
    pass
c = layers.linear(b, 2, variables_collections={"weights": ["w"], "biases": ["b"]})
d = layers.stack(c, layers.fully_connected, [6, 4], scope="deep")
e = layers.repeat(d, 2, layers.fully_connected, 4)
f = layers.legacy_fully_connected(tf.reshape(e, [-1, 2, 2]), 3, activation_fn=tf.nn.relu)
results["dense"] = describe([a, b, c, d, e, f], {x: R.randn(6, 5)})

x = tf.placeholder(tf.float32, [2, 8, 6, 4], name="x")
with arg_scope(
    [layers.conv2d, layers.conv2d_in_plane],
    padding="SAME",
    weights_initializer=layers.variance_scaling_initializer(),
    weights_regularizer=layers.l2_regularizer(0.05),
) as kept:
    net = layers.conv2d(x, 6, [5, 3], 2, padding="VALID", scope="conv1")
    net = layers.conv2d(net, 5, [3, 3], scope="conv2")
with arg_scope(kept):
    net = layers.conv2d(net, 4, [1, 1], normalizer_fn=layers.batch_norm, scope="conv3")
plane = layers.conv2d_in_plane(x, 3, outputs_collections="outs", activation_fn=None)
sep = layers.separable_conv2d(x, 5, 3, 2)
depth = layers.separable_conv2d(x, None, 3, 2, rate=2)
up = layers.conv2d_transpose(net, 3, 2, 2)
dilated = layers.conv2d(x, 3, 3, rate=2)
with arg_scope([layers.conv1d], activation_fn=None):
    one = layers.conv1d(tf.reshape(x, [2, 48, 4]), 2, 3)
results["conv"] = describe([net, plane, sep, depth, up, dilated, one], {x: R.randn(2, 8, 6, 4)})
results["arg_scoped"] = sorted(tf.contrib.framework.arg_scoped_arguments(layers.conv2d))

for key, arguments in (
    ("default", {}),
    ("now", {"updates_collections": None, "scale": True}),
    ("collection", {"updates_collections": "mine", "center": False, "decay": 0.5}),
    ("debias", {"zero_debias_moving_mean": True}),
    ("unfused", {"fused": False, "scale": True, "activation_fn": tf.nn.relu}),
    ("nchw", {"data_format": "NCHW", "fused": False, "updates_collections": None}),
    ("weights", {"batch_weights": tf.constant([1.0, 2.0, 0.5]), "scale": True}),
    ("renorm", {"renorm": True, "renorm_clipping": {"rmax": 2.0}}),
    ("regularized", {"scale": True, "param_regularizers": {"gamma": layers.l1_regularizer(0.1)}}),
    ("test", {"is_training": False, "variables_collections": ["vars"], "trainable": False}),
):
    x = tf.placeholder(tf.float32, [3, 4, 5, 2], name="x")
    if "batch_weights" in arguments:
        arguments = dict(arguments, batch_weights=tf.constant([1.0, 2.0, 0.5]))
    y = layers.batch_norm(x, **arguments)
    train = bool(tf.trainable_variables())
    results["batch_norm_" + key] = describe([y], {x: R.randn(3, 4, 5, 2)}, train=train)

for value in (True, False):
    x = tf.placeholder(tf.float32, [3, 6], name="x")
    is_training = tf.placeholder(tf.bool, [], name="is_training")
    y = layers.batch_norm(x, is_training=is_training, updates_collections=None, decay=0.8)
    z = layers.batch_norm(tf.reshape(y, [3, 1, 2, 3]), is_training=is_training, decay=0.8)
    results["batch_norm_switched_%s" % value] = describe([y, z], {x: R.randn(3, 6), is_training: value})

x = tf.placeholder(tf.float32, [3, 4, 5, 6], name="x")
results["norms"] = describe(
    [
        layers.layer_norm(x),
        layers.layer_norm(x, begin_norm_axis=-1, center=False, activation_fn=tf.tanh),
        layers.instance_norm(x),
        layers.instance_norm(x, data_format="NCHW", param_initializers={"beta": tf.ones_initializer()}),
        layers.group_norm(x, 3),
        layers.group_norm(x, 2, channels_axis=1, reduction_axes=[2, 3], mean_close_to_zero=True),
        layers.unit_norm(x, 2),
        layers.bias_add(x, activation_fn=tf.nn.relu),
    ],
    {x: R.randn(3, 4, 5, 6)},
)

x = tf.placeholder(tf.float32, [2, 4, 6, 3], name="x")
labels = tf.placeholder(tf.int32, [None], name="labels")
results["others"] = describe(
    [
        layers.max_pool2d(x, 2),
        layers.avg_pool2d(x, [2, 3], stride=1, padding="SAME", outputs_collections="pools"),
        layers.max_pool3d(tf.expand_dims(x, 1), [1, 2, 2]),
        layers.avg_pool3d(tf.expand_dims(x, 1), 1),
        tf.contrib.layers.flatten(x),
        layers.one_hot_encoding(labels, 4, on_value=2.0),
        layers.softmax(x),
        layers.spatial_softmax(x),
        layers.spatial_softmax(x, temperature=0.5, trainable=False, name="cold"),
        layers.maxout(x, 1),
        layers.dropout(x, 1.0, is_training=True),
        layers.dropout(x, 0.5, is_training=False),
        layers.images_to_sequence(x),
        layers.sequence_to_images(layers.images_to_sequence(x), 4),
        layers.gdn(x),
        layers.gdn(x, inverse=True, name="inverse"),
    ],
    {x: R.randn(2, 4, 6, 3), labels: [0, 3, 2]},
)

ids = tf.placeholder(tf.int64, [None, 4], name="ids")
table = tf.get_variable("table", [6, 3])
sparse = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 5, 2], tf.int64), [4, 2])
weights = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, -1.0], [4, 2])
results["embeddings"] = describe(
    [
        layers.embed_sequence(ids, 8, 3),
        layers.embed_sequence(ids, 8, 3, unique=True, scope="unique"),
        layers.bow_encoder(ids, 8, 3),
        layers.bow_encoder(ids, 8, 3, sparse_lookup=False, scope="dense"),
        layers.safe_embedding_lookup_sparse([table], sparse),
        layers.safe_embedding_lookup_sparse([table], sparse, weights, combiner="sqrtn", default_id=3),
        layers.embedding_lookup_unique(table, [[1, 2], [2, 5]]),
    ],
    {ids: [[1, 2, 0, 7], [3, 3, 3, 3]]},
    names=False,
)

w = tf.get_variable("w", [3], initializer=tf.constant_initializer([1.0, -2.0, 3.0]))
losses = [
    layers.l1_regularizer(0.5)(w),
    layers.l2_regularizer(0.5)(w),
    layers.l1_l2_regularizer(0.1, 0.2)(w),
    layers.l1_l2_regularizer(0.0, 0.2)(w),
    layers.sum_regularizer([layers.l1_regularizer(1.0), None, layers.l2_regularizer(1.0)], scope="both")(w),
    layers.apply_regularization(layers.l2_regularizer(0.1), [w, 2.0 * w]),
]
scaled = layers.scale_gradient(w, tf.constant(0.25))
gradient = tf.gradients(tf.reduce_sum(scaled * scaled), w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["regularizers"] = sess.run([losses, gradient])
results["regularizer_names"] = [loss.name for loss in losses]
results["no_regularizer"] = [str(layers.l1_regularizer(0.0)(w)), str(layers.sum_regularizer([]))]
tf.reset_default_graph()


def error(function):
    try:
        function()
    except (AttributeError, TypeError, ValueError) as e:
        return type(e).__name__
    return "none"


image = tf.placeholder(tf.float32, [None, 4, 4, 3], name="image")
unknown = tf.placeholder(tf.float32, None, name="unknown")
results["errors"] = [
    error(lambda: layers.l1_regularizer(1)),
    error(lambda: layers.l2_regularizer(-1.0)),
    error(lambda: layers.fully_connected(image, 2.0)),
    error(lambda: layers.conv2d(image, 3, 3, data_format="X")),
    error(lambda: layers.conv2d(unknown, 3, 3)),
    error(lambda: layers.conv1d(image, 3, 3)),
    error(lambda: layers.batch_norm(unknown)),
    error(lambda: layers.batch_norm(image, data_format="NWC")),
    error(lambda: layers.batch_norm(image, renorm=True, updates_collections=None)),
    error(lambda: layers.layer_norm(unknown)),
    error(lambda: layers.group_norm(image, 2)),
    error(lambda: layers.group_norm(image, 64)),
    error(lambda: layers.unit_norm(image, 4)),
    error(lambda: layers.max_pool2d(image, 2, data_format="NCW")),
    error(lambda: layers.stack(image, layers.conv2d, 3)),
    error(lambda: layers.maxout(image, 2)),
    error(lambda: layers.embed_sequence([[1]])),
    error(lambda: layers.apply_regularization(layers.l1_regularizer(0.1))),
    error(lambda: arg_scope([tf.nn.relu], x=1).__enter__()),
]

x = tf.placeholder(tf.float32, [None, 3], name="x")
loss = tf.reduce_mean(tf.square(layers.linear(x, 2) - 1.0))
step = tf.train.get_or_create_global_step()
trained = {}
for i, (optimizer, more) in enumerate(
    [
        ("SGD", {}),
        ("Adam", {"clip_gradients": 0.5}),
        (tf.train.AdagradOptimizer, {"gradient_multipliers": {"fully_connected/weights:0": 2.0}}),
        (
            lambda lr: tf.train.MomentumOptimizer(lr, 0.9),
            {"learning_rate_decay_fn": lambda lr, s: tf.train.exponential_decay(lr, s, 1, 0.9)},
        ),
        (tf.train.GradientDescentOptimizer(0.1), {"learning_rate": None, "increment_global_step": False}),
        (
            "RMSProp",
            {
                "clip_gradients": adaptive_clipping_fn(global_step=step),
                "summaries": ["loss", "gradients", "gradient_norm"],
            },
        ),
        ("Ftrl", {"name": "named"}),
    ]
):
    arguments = {"learning_rate": 0.1}
    arguments.update(more)
    train = layers.optimize_loss(loss, step, optimizer=optimizer, **arguments)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([v.assign(tf.ones_like(v)) for v in tf.trainable_variables()])
        steps = [sess.run(train, {x: np.ones((4, 3)) * (k + 1)}) for k in range(3)]
        trained["%d" % i] = [train.name, steps, sess.run(step), sess.run(tf.trainable_variables())]
trained["variables"] = [v.name for v in tf.global_variables()]
trained["summaries"] = [s.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)]
trained["errors"] = [
    error(lambda: layers.optimize_loss(loss, step, 0.1, "Nope")),
    error(lambda: layers.optimize_loss(loss, step, -0.1, "SGD")),
    error(lambda: layers.optimize_loss(loss, step, None, "SGD")),
    error(lambda: layers.optimize_loss(loss, step, 1, "SGD")),
    error(lambda: layers.optimize_loss(loss, step, 0.1, lambda lr: 3)),
    error(lambda: layers.optimize_loss(loss, step, 0.1, "SGD", clip_gradients="x")),
    error(lambda: layers.optimize_loss(loss, step, 0.1, "SGD", summaries=["x"])),
]
results["optimize_loss"] = trained
