"""tf.keras.optimizers: five steps on a dense and an embedded variable, names of variables, settings."""

import numpy as np
import tensorflow as tf

results = {}
K = tf.keras.optimizers
S = K.schedules
E = tf.keras.experimental
R = np.random.RandomState(1)
W = R.randn(3, 2).astype(np.float32)
ROWS = R.randn(5, 2).astype(np.float32)

CASES = {
    "sgd": lambda: K.SGD(0.1),
    "sgd_momentum": lambda: K.SGD(0.1, momentum=0.9),
    "sgd_nesterov": lambda: K.SGD(0.1, momentum=0.9, nesterov=True, decay=0.1),
    "sgd_function": lambda: K.SGD(lambda: 0.05),
    "adam": lambda: K.Adam(0.1),
    "amsgrad": lambda: K.Adam(0.1, amsgrad=True, decay=0.01),
    "adamax": lambda: K.Adamax(0.1),
    "nadam": lambda: K.Nadam(0.1),
    "nadam_schedule": lambda: K.Nadam(lr=0.1, schedule_decay=0.01),
    "rmsprop": lambda: K.RMSprop(0.1),
    "rmsprop_centered": lambda: K.RMSprop(0.1, centered=True),
    "rmsprop_momentum": lambda: K.RMSprop(0.1, momentum=0.5),
    "rmsprop_both": lambda: K.RMSprop(0.1, momentum=0.5, centered=True, epsilon=1e-3),
    "adagrad": lambda: K.Adagrad(0.1),
    "adadelta": lambda: K.Adadelta(1.0, epsilon=1e-3),
    "ftrl": lambda: K.Ftrl(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    "ftrl_shrinkage": lambda: K.Ftrl(0.1, l2_shrinkage_regularization_strength=0.1, learning_rate_power=-0.4),
    "clipnorm": lambda: K.SGD(0.1, clipnorm=0.5),
    "clipvalue": lambda: K.Adam(0.1, clipvalue=0.2),
    "exponential": lambda: K.SGD(S.ExponentialDecay(0.1, 2, 0.5, True)),
    "inverse_time": lambda: K.SGD(S.InverseTimeDecay(0.1, 2, 0.5)),
    "piecewise": lambda: K.Adam(S.PiecewiseConstantDecay([1, 3], [0.1, 0.2, 0.3])),
    "polynomial": lambda: K.SGD(S.PolynomialDecay(0.1, 3, 0.01, 2.0, True)),
    "cosine": lambda: K.SGD(E.CosineDecay(0.1, 4, 0.1)),
    "cosine_restarts": lambda: K.SGD(E.CosineDecayRestarts(0.1, 2, alpha=0.1)),
    "linear_cosine": lambda: K.SGD(E.LinearCosineDecay(0.1, 4)),
}


def plain(value):
    return round(float(value), 6) if isinstance(value, (float, np.floating)) else value


for name, make in sorted(CASES.items()):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        w = tf.Variable(W, name="w", use_resource=True)
        rows = tf.Variable(ROWS, name="rows", use_resource=True)
        loss = tf.reduce_sum(tf.square(w) * [[1.0, 2.0]])
        looked_up = tf.nn.embedding_lookup(rows, [1, 1, 3])
        loss += tf.reduce_sum(tf.square(looked_up) * [[3.0], [2.0], [1.0]])
        optimizer = make()
        before = len(graph.get_operations())
        step = optimizer.get_updates(loss, [w, rows])
        updates = sorted(o.type for o in graph.get_operations()[before:] if "Apply" in o.type or "Scatter" in o.type)
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            sess.run(step)
        with sess.as_default():
            results[name] = {
                "w": sess.run(w),
                "rows": sess.run(rows),
                "weights": [[v.name, v.shape.as_list()] for v in optimizer.weights],
                "values": [v.astype(np.float64) for v in sess.run(optimizer.weights)],
                "variables": [v.name for v in tf.global_variables()],
                "slots": list(optimizer.get_slot_names()),
                "updates": updates,
                "config": repr(sorted((k, plain(v)) for k, v in optimizer.get_config().items())),
            }
