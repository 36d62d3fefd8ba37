"""tf.keras.backend: products, choices and cross entropies: values, shapes, operations and errors."""

import numpy as np
import tensorflow as tf

K = tf.keras.backend
results = {}
rng = np.random.RandomState(0)


def rec(key, function, *arrays):
    graph = tf.Graph()
    with graph.as_default(), tf.Session() as sess:
        try:
            fed = [tf.placeholder(a.dtype, a.shape) for a in arrays]
            out = function(*fed)
            found = {"value": sess.run(out, dict(zip(fed, arrays)))}
            found["shape"] = out.shape.as_list()
            found["ops"] = [op.name for op in graph.get_operations()]
            results[key] = found
        except (ValueError, TypeError, IndexError) as error:
            results[key] = type(error).__name__


def f32(*shape):
    return rng.randn(*shape).astype("float32")


a, b = f32(3, 4), f32(3, 4)
rows, every = np.array([True, False, True]), a > 0
deep, other = f32(3, 4, 5), f32(3, 4, 5)
rec("switch of a scalar", lambda c, x, y: K.switch(c, x, y), np.array(True), a, b)
rec("switch of functions", lambda c, x, y: K.switch(c, lambda: x, lambda: y), np.array(False), a, b)
rec("switch of an int", lambda c, x, y: K.switch(c, lambda: x, lambda: y), np.array(1), a, b)
rec("switch of rows", lambda c, x, y: K.switch(c, x, y), rows, a, b)
rec("switch of rows by functions", lambda c, x, y: K.switch(c, lambda: x, lambda: y), rows, a, b)
rec("switch of elements", lambda c, x, y: K.switch(c, x, y), every, a, b)
rec("switch of vectors", lambda c, x, y: K.switch(c, x, y), every, deep, other)
rec("switch with too many axes", lambda c, x, y: K.switch(c, x, y), every, a[0], b[0])
rec("in_train_phase", lambda x, y: K.in_train_phase(x, y), a, b)
rec("in_train_phase 1", lambda x, y: K.in_train_phase(x, lambda: y, training=1), a, b)
rec("in_train_phase False", lambda x, y: K.in_train_phase(x, lambda: y, training=False), a, b)
rec("in_train_phase of a tensor", lambda x, y: K.in_train_phase(x, lambda: y, training=tf.constant(True)), a, b)
rec("in_test_phase", lambda x, y: K.in_test_phase(x, y), a, b)

for left, right in (((2, 3), (3, 4)), ((2, 3, 4), (4, 5)), ((5, 2, 3, 4), (2, 4, 3)), ((2, 3, 4), (4,))):
    rec("dot %s %s" % (left, right), K.dot, f32(*left), f32(*right))
for left, right, axes in (
    ((2, 3), (2, 3), 1),
    ((2, 3), (2, 3), 0),
    ((2, 3), (2, 3), -1),
    ((2, 3, 4), (2, 4, 5), None),
    ((2, 3, 4), (2, 4, 5), (2, 1)),
    ((2, 3, 4), (2, 3, 5), 1),
    ((2, 3, 4), (2, 5, 4), 2),
    ((2, 3, 4), (2, 4), (2, 1)),
    ((2, 3, 4), (2, 3), 1),
    ((2, 4), (2, 3, 4), (1, 2)),
    ((2, 4), (2, 4, 3), None),
    ((2, 3, 4, 5), (2, 5), None),
    ((2, 3, 4, 5), (2, 3, 5, 6), None),
    ((2, 3, 4, 5), (2, 3, 6, 5), (3, 3)),
    ((2, 3, 4, 5), (2, 3, 4, 5), 2),
    ((2, 3), (3, 3), 1),
    ((2, 3, 4), (2, 4, 5), (0, 1)),
):
    rec("batch_dot %s %s %s" % (left, right, axes), lambda x, y: K.batch_dot(x, y, axes=axes), f32(*left), f32(*right))

classes, scores, labels = np.eye(4, dtype="float32")[[0, 2, 3]], np.abs(f32(3, 4)) + 0.1, np.array([0, 2, 3])
for raw in (False, True):

    def cce(t, o):
        return K.categorical_crossentropy(t, o, from_logits=raw)

    def bce(t, o):
        return K.binary_crossentropy(t, o, from_logits=raw)

    def sparse(t, o):
        return K.sparse_categorical_crossentropy(t, o, from_logits=raw)

    rec("categorical %s" % raw, cce, classes, scores)
    rec("categorical of softmax %s" % raw, lambda t, o: cce(t, tf.nn.softmax(o)), classes, scores)
    rec("binary %s" % raw, bce, classes, scores / 5)
    rec("binary of sigmoid %s" % raw, lambda t, o: bce(t, tf.nn.sigmoid(o)), classes, scores)
    rec("sparse %s" % raw, sparse, labels, scores)
    rec("sparse of softmax %s" % raw, lambda t, o: sparse(t, tf.nn.softmax(o)), labels, scores)
    rec("sparse of sequences %s" % raw, sparse, np.array([[0, 1], [2, 3]]), np.abs(f32(2, 2, 4)))
    rec("sparse of a column %s" % raw, sparse, labels[:, None].astype("float32"), scores)
    rec(
        "sparse along 1 %s" % raw,
        lambda t, o: K.sparse_categorical_crossentropy(t, o, from_logits=raw, axis=1),
        np.array([[0, 1], [2, 3]]),
        np.abs(f32(2, 4, 2)),
    )
    rec(
        "categorical along 1 %s" % raw,
        lambda t, o: K.categorical_crossentropy(t, o, from_logits=raw, axis=1),
        np.abs(f32(2, 4, 2)),
        np.abs(f32(2, 4, 2)),
    )
rec(
    "categorical of an identity",
    lambda t, o: K.categorical_crossentropy(t, tf.identity(tf.nn.softmax(o))),
    classes,
    scores,
)
