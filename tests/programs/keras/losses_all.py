"""tf.keras.losses: every function and class, weighted, masked, of empty batches, with mistakes."""

import numpy as np
import tensorflow as tf

results = {}
L = tf.keras.losses
R = np.random.RandomState(0)
Y = R.rand(4, 3).astype(np.float32)
P = R.rand(4, 3).astype(np.float32)
SIGNS = np.sign(Y - 0.5)
CLASSES = np.array([0, 2, 1, 1])
WEIGHTS = R.rand(4).astype(np.float32)


def refused(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__ + ": " + str(error)[:60]
    return "no error"


def labels_for(name):
    if "parse" in name:
        return CLASSES
    return SIGNS if name in ("Hinge", "hinge") else Y


with tf.Session() as sess:
    for name in sorted(dir(L)):
        loss = getattr(L, name)
        if name.startswith("_") or name in ("Loss", "get", "serialize", "deserialize") or not callable(loss):
            continue
        labels = labels_for(name)
        y, p = tf.constant(labels), tf.constant(P)
        if isinstance(loss, type):
            found = {"plain": sess.run(loss()(y, p))}
            found["weighted"] = sess.run(loss()(y, p, sample_weight=tf.constant(WEIGHTS)))
            found["column"] = sess.run(loss()(y, p, sample_weight=tf.constant(WEIGHTS[:, None])))
            found["scalar"] = sess.run(loss()(y, p, sample_weight=2.0))
            found["none"] = sess.run(loss(reduction="none")(y, p, sample_weight=tf.constant(WEIGHTS)))
            found["sum"] = sess.run(loss(reduction="sum")(y, p))
            found["masked"] = sess.run(loss()(y, p, sample_weight=tf.zeros([4])))
            found["empty"] = sess.run(loss()(tf.constant(labels[:0]), tf.constant(P[:0])))
            found["config"] = repr(sorted(loss().get_config().items()))
            found["name"] = loss()(y, p).name.split("/")[0]
            x = tf.placeholder(tf.float32, [None, 3])
            found["fed"] = sess.run(loss()(y, x, sample_weight=tf.constant(WEIGHTS)), {x: P})
            found["gradient"] = sess.run(tf.gradients(loss()(y, p), p)[0])
            results[name] = found
        elif "serial" not in name:
            results[name] = sess.run(loss(y, p))
    y, p = tf.constant(Y), tf.constant(P)
    for name in ("BinaryCrossentropy", "CategoricalCrossentropy"):
        made = getattr(L, name)
        results[name + " smoothed"] = sess.run(made(label_smoothing=0.1)(y, p))
        results[name + " logits"] = sess.run(made(from_logits=True)(y, 4.0 * p - 2.0))
        results[name + " both"] = sess.run(made(from_logits=True, label_smoothing=0.2)(y, 4.0 * p - 2.0))
    results["sparse logits"] = sess.run(L.SparseCategoricalCrossentropy(True)(tf.constant(CLASSES), 4.0 * p - 2.0))
    results["softmax"] = sess.run(L.categorical_crossentropy(y, tf.nn.softmax(p)))
    results["sigmoid"] = sess.run(L.binary_crossentropy(y, tf.nn.sigmoid(p)))
    results["sparse softmax"] = sess.run(
        L.sparse_categorical_crossentropy(tf.constant(CLASSES[:, None]), tf.nn.softmax(p))
    )
    results["sparse axis"] = sess.run(L.sparse_categorical_crossentropy(tf.constant([0, 2, 1]), p, axis=0))
    results["delta"] = sess.run(L.Huber(0.1)(y, p))
    results["axis"] = sess.run(L.CosineSimilarity(axis=0, reduction="none")(y, p))
    results["column labels"] = sess.run(L.MeanSquaredError()(tf.constant(Y[:, :1]), tf.constant(P[:, 0])))
    results["binary labels"] = sess.run(L.hinge(tf.constant([[1.0, 0.0, 1.0]]), tf.constant(P[:1])))

results["reduction"] = refused(lambda: L.MeanSquaredError(reduction="mean"))
results["unknown"] = refused(lambda: L.get("nothing"))
results["number"] = refused(lambda: L.get(3))
results["weights"] = refused(lambda: L.MeanSquaredError()(Y, P, sample_weight=np.ones((3,), np.float32)))
results["get"] = L.get("mse").__name__
results["back"] = type(L.deserialize(L.serialize(L.Huber(2.0)))).__name__
