"""The losses of tf.losses: values, gradients, names, collections and refusals."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(3)
probabilities = random.uniform(0.05, 0.95, size=[4, 3])
targets = random.randint(0, 2, size=[4, 3])
logits = random.normal(size=[4, 3])
losses = tf.losses
R = losses.Reduction
results["reductions"] = list(R.all())
PAIRS = {
    "absolute_difference": (targets, logits, {}),
    "cosine_distance": (targets, logits, {"axis": 1}),
    "hinge_loss": (targets, logits, {}),
    "huber_loss": (targets, logits, {"delta": 0.75}),
    "log_loss": (targets, probabilities, {"epsilon": 1e-5}),
    "mean_squared_error": (targets, logits, {}),
    "sigmoid_cross_entropy": (targets, logits, {"label_smoothing": 0.1}),
    "softmax_cross_entropy": (targets, logits, {"label_smoothing": 0.2}),
    "sparse_softmax_cross_entropy": ([2, 0, 1, 1], logits, {}),
    "mean_pairwise_squared_error": (targets, logits, {}),
}


def shape_of(op):
    shape = op.outputs[0].shape if op.outputs else ""
    return "%s = %s(%s) %s" % (op.name, op.type, ", ".join(t.name for t in op.inputs), shape)


for name in sorted(PAIRS):
    labels, predictions, options = PAIRS[name]
    flat = name in ("softmax_cross_entropy", "sparse_softmax_cross_entropy")
    column = flat or name == "cosine_distance"
    weights = [("scalar", 0.5), ("zero", 0.0)]
    if flat:
        weights.append(("rows", [1.0, 0.0, 2.0, 0.5]))
    else:
        weights.append(("column", [[1.0], [0.0], [2.0], [0.5]]))
    if not column:
        weights.append(("all", random.randint(0, 3, size=[4, 3]).astype(np.float32)))
    if name == "sparse_softmax_cross_entropy":
        weights.append(("squeezed", [[1.0], [0.0], [2.0], [0.5]]))
    for kind, weight in weights:
        for reduction in [None] if name == "mean_pairwise_squared_error" else R.all()[:5]:
            with tf.Graph().as_default() as graph:
                x = tf.constant(predictions, tf.float32)
                w = tf.constant(weight)
                keywords = dict(options) if reduction is None else dict(options, reduction=reduction)
                loss = getattr(losses, name)(labels, x, weights=w, **keywords)
                key = "%s %s %s" % (name, kind, reduction)
                with tf.Session() as sess:
                    results[key] = sess.run([loss, tf.gradients(loss, x)[0], tf.gradients(loss, w)[0]])
                if kind == "scalar" or reduction in (None, R.NONE):
                    results[key + " ops"] = [shape_of(op) for op in graph.get_operations() if "radients" not in op.name]
                results[key + " collected"] = [t.name for t in losses.get_losses()] + [loss.dtype.name]

with tf.Graph().as_default():
    x = tf.placeholder(tf.float32)
    y = tf.placeholder(tf.float32)
    w = tf.placeholder(tf.float32)
    loss = losses.mean_squared_error(y, x, w)
    double = losses.absolute_difference(tf.constant([1, 2]), tf.constant([2.5, 2.5], tf.float64), scope="mine")
    none = losses.hinge_loss([1.0], [0.5], loss_collection=None)
    other = losses.huber_loss([1.0], [3.5], loss_collection="others")
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(0.25, name="decay"))
    total = losses.get_total_loss()
    results["collected"] = [
        [t.name for t in losses.get_losses()],
        [t.name for t in losses.get_losses("mine")],
        [t.name for t in losses.get_losses(loss_collection="others")],
        [t.name for t in losses.get_regularization_losses()],
        losses.get_regularization_loss().name,
        losses.get_regularization_loss("nothing").name,
        total.name,
        losses.get_total_loss(False, name="plain").name,
        losses.get_total_loss(scope="mine").name,
        double.dtype.name,
    ]
    sess = tf.Session()
    values = np.arange(6.0).reshape(2, 3)
    for weight in (2.0, [[1.0], [0.0]], [[1.0, 0.0, 3.0]], np.ones([2, 3])):
        results["fed %s" % np.shape(weight).__str__()] = sess.run(
            [loss, total], {x: values, y: values * 0.5, w: weight}
        )
    refused = []
    for weight in ([1.0, 2.0], [[1.0, 2.0]], np.ones([2, 3, 1])):
        try:
            sess.run(loss, {x: values, y: values * 0.5, w: weight})
        except tf.errors.InvalidArgumentError as error:
            refused.append("weights can not be broadcast to values" in str(error))
    results["refused when run"] = refused

messages = []
for call in (
    lambda: losses.mean_squared_error(None, [1.0]),
    lambda: losses.mean_squared_error([1.0], None),
    lambda: losses.sigmoid_cross_entropy(None, [1.0]),
    lambda: losses.softmax_cross_entropy([[1.0]], None),
    lambda: losses.mean_squared_error([1.0, 2.0], [1.0]),
    lambda: losses.mean_squared_error([1.0, 2.0], [1.0, 2.0], weights=[1.0, 2.0, 3.0]),
    lambda: losses.mean_squared_error([[1.0, 2.0]], [[1.0, 2.0]], weights=[1.0, 2.0]),
    lambda: losses.cosine_distance([1.0], [1.0]),
    lambda: losses.compute_weighted_loss([1.0], reduction="sum"),
    lambda: losses.absolute_difference([1.0], [1.0], weights=None),
    lambda: losses.get_total_loss(scope="nothing at all"),
):
    with tf.Graph().as_default():
        try:
            call()
            messages.append("none")
        except (ValueError, TypeError) as error:
            messages.append("%s: %s" % (type(error).__name__, error))
results["messages"] = messages

with tf.Graph().as_default():
    labels = tf.constant([[1], [0]], tf.int64)
    fed_labels = tf.placeholder(tf.int64)
    fed_weights = tf.placeholder(tf.float32, [None, None])
    values = tf.constant([[1.0, 2.0, 0.5], [0.0, 0.25, -1.0]])
    with tf.Session() as sess:
        results["labels with a last dimension"] = sess.run(
            losses.sparse_softmax_cross_entropy(labels, values, [[1.0], [2.0]])
        )
        loss = losses.sparse_softmax_cross_entropy(fed_labels, values, fed_weights)
        results["squeezed when run"] = sess.run(loss, {fed_labels: [[1], [0]], fed_weights: [[1.0], [2.0]]})
        results["confusion"] = sess.run(
            [
                tf.confusion_matrix([0, 1, 2, 2], [0, 2, 2, 1]),
                tf.confusion_matrix([[0], [1]], [0, 2], 4, tf.float32, weights=[0.5, 2.0]),
            ]
        )
        results["confusion names"] = [
            tf.confusion_matrix([0, 1], [1, 0]).name,
            tf.math.confusion_matrix([1], [1], 3, name="m").name,
        ]
        for labels, predictions in (([-1, 0], [0, 0]), ([0, 0], [3, 0])):
            try:
                sess.run(tf.confusion_matrix(labels, predictions, 2))
            except (tf.errors.InvalidArgumentError, ValueError) as error:
                results["confusion %s" % labels] = type(error).__name__
