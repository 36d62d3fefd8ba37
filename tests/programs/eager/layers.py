"""Eager execution: layers, cells and losses; metrics of graphs, which refuse."""

# ruff: noqa: E741, SIM, RUF

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
results = {}


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in sorted(value.items())}
    if hasattr(value, "as_list"):
        return value.as_list()
    if hasattr(value, "numpy"):
        value = value.numpy()
    return "None" if value is None else np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else value


def keep(name, action):
    try:
        results[name] = shown(action())
    except Exception as error:
        results[name] = type(error).__name__


x = tf.constant(np.arange(12).reshape(2, 6) / 10.0, tf.float32)
ones = tf.ones_initializer()


def reg():
    l = tf.layers.Dense(2, kernel_initializer=ones, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.5))
    l(x)
    a = l.losses
    l.kernel.assign(l.kernel * 2)
    b = l.losses
    return [a, b, len(l.losses), l.updates, len(tf.get_collection("losses")), len(tf.losses.get_losses())]


keep("reg", reg)


def act():
    l = tf.layers.Dense(2, kernel_initializer=ones, activity_regularizer=lambda t: tf.reduce_sum(t))
    l(x)
    l(x * 2)
    return [l.losses]


keep("activity", act)


def bn():
    l = tf.layers.BatchNormalization(momentum=0.5)
    a = l(x, training=True)
    b = l(x, training=False)
    return [
        a,
        b,
        l.moving_mean,
        l.moving_variance,
        l.updates,
        [v.name for v in l.variables],
        [v.name for v in l.trainable_variables],
    ]


keep("bn", bn)


def bn2():
    l = tf.layers.BatchNormalization(axis=-1, fused=True)
    y = tf.reshape(tf.range(24.0), [1, 2, 2, 6])
    a = l(y, training=True)
    return [a, l.moving_mean, l.moving_variance]


keep("bnf", bn2)
keep("bnr", lambda: (lambda l: [l(x, training=True), l.moving_mean])(tf.layers.BatchNormalization(renorm=True)))
keep("bnfn", lambda: tf.layers.batch_normalization(x, training=True))
keep("dense fn", lambda: tf.layers.dense(x, 2, kernel_initializer=ones))
keep("dense fn reuse", lambda: tf.layers.dense(x, 2, kernel_initializer=ones, name="d", reuse=True))
keep("dropout", lambda: tf.reduce_mean(tf.layers.dropout(tf.ones([1000]), 0.5, training=True)).numpy() > 0.8)
keep("dropout layer", lambda: tf.layers.Dropout(0.5)(tf.ones([4])))
keep("conv", lambda: tf.layers.Conv2D(2, 2, kernel_initializer=ones)(tf.ones([1, 3, 3, 1])))
keep(
    "sepconv",
    lambda: tf.layers.SeparableConv2D(2, 2, depthwise_initializer=ones, pointwise_initializer=ones)(
        tf.ones([1, 3, 3, 1])
    ),
)
keep("conv1d", lambda: tf.layers.conv1d(tf.ones([1, 3, 1]), 2, 2, kernel_initializer=ones))
keep("pool", lambda: tf.layers.max_pooling2d(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), 2, 2))
keep("flatten", lambda: tf.layers.flatten(tf.ones([2, 3, 4])).shape.as_list())
keep(
    "names",
    lambda: (lambda l: [l(x) and None, l.name, [v.name for v in l.variables], l.scope_name])(tf.layers.Dense(1)),
)
keep("graph", lambda: tf.layers.Dense(1).graph)
keep("inputs", lambda: (lambda l: [l(x) is None, l.input])(tf.layers.Dense(1)))


def cell(c, s=None):
    o, st = c(x, c.zero_state(2, tf.float32))
    return [o, st, [v.name for v in c.variables]]


for n, c in [
    ("rnn", tf.nn.rnn_cell.BasicRNNCell(2)),
    ("lstm", tf.nn.rnn_cell.BasicLSTMCell(2)),
    ("gru", tf.nn.rnn_cell.GRUCell(2)),
    ("lstm2", tf.nn.rnn_cell.LSTMCell(2, use_peepholes=True, initializer=ones)),
]:
    with tf.variable_scope(n, initializer=tf.constant_initializer(0.1)):
        keep(n, lambda: cell(c))


def drnn():
    with tf.variable_scope("dr", initializer=tf.constant_initializer(0.1)):
        c = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.BasicLSTMCell(3)])
        with tf.GradientTape() as g:
            o, s = tf.nn.dynamic_rnn(
                c, tf.reshape(tf.range(24.0), [2, 3, 4]) / 10, sequence_length=[2, 3], dtype=tf.float32
            )
            l = tf.reduce_sum(o)
        return [o, s, g.gradient(l, c.trainable_variables)[0]]


keep("dynrnn", drnn)


def srnn():
    with tf.variable_scope("sr", initializer=tf.constant_initializer(0.1)):
        c = tf.nn.rnn_cell.GRUCell(2)
        return tf.nn.static_rnn(c, [x, x], dtype=tf.float32)


keep("srnn", srnn)
keep(
    "bidi",
    lambda: [
        t.shape.as_list()
        for t in tf.nn.bidirectional_dynamic_rnn(
            tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.GRUCell(2), tf.ones([2, 3, 4]), dtype=tf.float32
        )[0]
    ],
)
keep(
    "raw_rnn",
    lambda: tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(2), tf.ones([3, 2, 4]), dtype=tf.float32, time_major=True)[
        0
    ].shape.as_list(),
)
keep(
    "dropwrap", lambda: cell(tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicRNNCell(2, name="z"), 0.999999))[0].shape
)


def cl(f):
    return f()


keep("c.fc", lambda: tf.contrib.layers.fully_connected(x, 2, weights_initializer=ones))
keep("c.conv", lambda: tf.contrib.layers.conv2d(tf.ones([1, 3, 3, 1]), 2, 2, weights_initializer=ones))
keep("c.bn", lambda: tf.contrib.layers.batch_norm(x))
keep("c.ln", lambda: tf.contrib.layers.layer_norm(x))
keep("c.in", lambda: tf.contrib.layers.instance_norm(tf.reshape(tf.range(16.0), [1, 2, 2, 4])))
keep("c.gn", lambda: tf.contrib.layers.group_norm(tf.reshape(tf.range(16.0), [1, 2, 2, 4]), groups=2))
keep("c.emb", lambda: tf.contrib.layers.embed_sequence([[1, 2]], 5, 2, initializer=ones))
keep("c.drop", lambda: tf.contrib.layers.dropout(x, 1.0))
keep("c.flat", lambda: tf.contrib.layers.flatten(tf.ones([2, 3, 1])))
keep("c.maxpool", lambda: tf.contrib.layers.max_pool2d(tf.ones([1, 4, 4, 1]), 2))
keep("c.stack", lambda: tf.contrib.layers.stack(x, tf.contrib.layers.fully_connected, [2, 3]).shape)
keep("c.sum", lambda: tf.contrib.layers.summarize_tensor(x))
keep("c.l2", lambda: tf.contrib.layers.l2_regularizer(0.5)(x))
keep("c.unit", lambda: tf.contrib.layers.unit_norm(x, 1))
keep(
    "cudnn",
    lambda: [
        t.shape.as_list()
        for t in tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(3)(
            x, tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(3).zero_state(2, tf.float32)
        )[1]
    ],
)
y = tf.constant([[0.0, 1.0, 0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
for n in [
    "absolute_difference",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "hinge_loss",
    "huber_loss",
    "log_loss",
]:
    keep("loss " + n, lambda: getattr(tf.losses, n)(y, x))
keep("loss cos", lambda: tf.losses.cosine_distance(y, x, axis=1))
keep("loss sparse", lambda: tf.losses.sparse_softmax_cross_entropy([1, 2], x))
keep("loss w", lambda: tf.losses.mean_squared_error(y, x, weights=[[1.0], [0.0]], reduction="none"))
keep("loss get", lambda: [tf.losses.get_losses(), tf.losses.get_total_loss()])
keep("loss compute", lambda: tf.losses.compute_weighted_loss(x, 2.0))
keep("loss add", lambda: [tf.losses.add_loss(x), len(tf.losses.get_losses())])
for n in [
    "accuracy",
    "mean",
    "auc",
    "precision",
    "recall",
    "mean_squared_error",
    "mean_iou",
    "true_positives",
    "root_mean_squared_error",
    "sparse_precision_at_k",
    "mean_tensor",
    "percentage_below",
    "sensitivity_at_specificity",
    "mean_per_class_accuracy",
]:
    f = getattr(tf.metrics, n)
    k = [p for p in __import__("inspect").signature(f).parameters.values() if p.default is p.empty]
    keep(
        "metric " + n,
        lambda: f(
            *[
                tf.constant([1.0, 0.0])
                if p.name != "k" and p.name != "num_classes" and p.name != "threshold" and p.name != "specificity"
                else 1
                for p in k
            ]
        ),
    )
keep("cmetric", lambda: tf.contrib.metrics.streaming_mean(x))
keep("accuracy", lambda: tf.contrib.metrics.accuracy(tf.constant([1, 2]), tf.constant([1, 1])))
