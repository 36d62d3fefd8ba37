"""Keras' own optimizers, of before tf.keras.optimizers.Optimizer: five steps with each, settings, weights."""

import numpy as np
import tensorflow as tf
from tensorflow.python.keras import optimizers

results = {}
R = np.random.RandomState(2)
W = R.randn(3, 2).astype(np.float32)
CASES = {
    "sgd": lambda: optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "rmsprop": lambda: optimizers.RMSprop(0.1),
    "adagrad": lambda: optimizers.Adagrad(0.1),
    "adadelta": lambda: optimizers.Adadelta(1.0, epsilon=1e-3),
    "adam": lambda: optimizers.Adam(0.1),
    "amsgrad": lambda: optimizers.Adam(0.1, amsgrad=True),
    "adamax": lambda: optimizers.Adamax(0.1),
    "clipnorm": lambda: optimizers.SGD(0.1, clipnorm=0.5),
    "clipvalue": lambda: optimizers.SGD(0.1, clipvalue=0.5),
    "shell": lambda: optimizers.TFOptimizer(tf.train.AdamOptimizer(0.1)),
}
for name, make in sorted(CASES.items()):
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.Variable(W, name="w", use_resource=True)
        loss = tf.reduce_sum(tf.square(w) * [[1.0, 2.0]])
        optimizer = make()
        step = [u if not isinstance(u, tuple) else u[0].assign(u[1]) for u in optimizer.get_updates(loss, [w])]
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            sess.run(step)
        results[name] = {"w": sess.run(w)}
        if name != "shell":
            with sess.as_default():
                config = optimizer.get_config()
                results[name]["config"] = repr(sorted((k, round(float(v), 6)) for k, v in config.items()))
                results[name]["shapes"] = [list(v.shape) for v in optimizer.get_weights()]
                results[name]["again"] = type(type(optimizer).from_config(config)).__name__
