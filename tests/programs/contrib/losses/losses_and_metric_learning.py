"""The losses of tf.contrib.losses and its metric learning."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(5)
targets = random.randint(0, 2, size=[4, 3])
logits = random.normal(size=[4, 3]).astype(np.float32)
L = tf.contrib.losses
PAIRS = {
    "absolute_difference": (targets, {}),
    "cosine_distance": (targets, {"axis": 1}),
    "log_loss": (targets, {"epsilon": 1e-5}),
    "mean_squared_error": (targets, {}),
    "sigmoid_cross_entropy": (targets, {"label_smoothing": 0.1}),
    "softmax_cross_entropy": (targets, {"label_smoothing": 0.2}),
    "sparse_softmax_cross_entropy": ([2, 0, 1, 1], {}),
    "mean_pairwise_squared_error": (targets, {}),
    "hinge_loss": (targets, None),
}
for name in sorted(PAIRS):
    labels, options = PAIRS[name]
    weights = [0.5, 0.0, [1.0, 0.0, 2.0, 0.5]]
    if name not in ("mean_pairwise_squared_error", "cosine_distance"):
        weights.append([[1.0], [0.0], [2.0], [0.5]])
    for weight in weights[: 1 if options is None else 4]:
        with tf.Graph().as_default() as graph:
            x = tf.constant(np.abs(logits) / 4 if name == "log_loss" else logits)
            keywords = {} if options is None else dict(options, weights=tf.constant(weight))
            loss = getattr(L, name)(x, tf.constant(labels), **keywords)
            with tf.Session() as sess:
                results["%s %s" % (name, weight)] = sess.run([loss, tf.gradients(loss, x)[0]])
            results["%s %s names" % (name, weight)] = [loss.name] + [t.name for t in L.get_losses()]
with tf.Graph().as_default():
    with tf.contrib.framework.arg_scope([L.add_loss], loss_collection="others"):
        L.mean_squared_error(tf.constant([1.0]), tf.constant([3.0]))
    L.absolute_difference(tf.constant([1.0]), tf.constant([3.0]))
    results["arg scope"] = [len(L.get_losses(loss_collection="others")), L.get_total_loss().name]
embeddings = random.normal(size=[6, 4]).astype(np.float32)
embeddings /= np.linalg.norm(embeddings, axis=1, keepdims=True)
others = random.normal(size=[6, 4]).astype(np.float32)
classes = [0, 1, 0, 2, 1, 2]
metric_learning = L.metric_learning
for name in (
    "triplet_semihard_loss",
    "lifted_struct_loss",
    "npairs_loss",
    "contrastive_loss",
    "npairs_loss_multilabel",
):
    with tf.Graph().as_default():
        e, o = tf.constant(embeddings), tf.constant(others)
        if name in ("triplet_semihard_loss", "lifted_struct_loss"):
            loss = getattr(metric_learning, name)(tf.constant(classes), e, margin=0.7)
        elif name == "npairs_loss":
            loss = metric_learning.npairs_loss(tf.constant(classes), e, o)
        elif name == "contrastive_loss":
            loss = metric_learning.contrastive_loss(tf.constant([0, 1, 1, 0, 1, 0]), e, o, margin=2.0)
        else:
            labels = [tf.SparseTensor([[c], [c + 1]], tf.constant([1, 1], tf.int64), [4]) for c in classes]
            loss = metric_learning.npairs_loss_multilabel(labels, e, o)
        with tf.Session() as sess:
            results[name] = sess.run([loss] + tf.gradients(loss, [e, o][: 2 if "n" in name[:3] else 1])) + [loss.name]
messages = []
for call in (
    lambda: L.mean_squared_error(tf.placeholder(tf.float32), tf.placeholder(tf.float32)),
    lambda: L.mean_squared_error(tf.constant([1.0]), tf.constant([1.0]), weights=tf.placeholder(tf.float32)),
    lambda: L.mean_squared_error(tf.constant([1.0]), tf.constant([1.0, 2.0])),
    lambda: L.cosine_distance(tf.constant([1.0]), tf.constant([1.0])),
    lambda: metric_learning.npairs_loss_multilabel([1], tf.constant([[1.0]]), tf.constant([[1.0]])),
):
    with tf.Graph().as_default():
        try:
            call()
            messages.append("none")
        except (ValueError, TypeError) as error:
            messages.append("%s: %s" % (type(error).__name__, error))
results["messages"] = messages
