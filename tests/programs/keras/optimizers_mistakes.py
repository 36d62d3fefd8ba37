"""tf.keras.optimizers: what they refuse, with which words; getting, saving and changing them."""

import numpy as np
import tensorflow as tf

results = {}
K = tf.keras.optimizers
B = tf.keras.backend


def refused(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__ + ": " + str(error)[:60]
    return "no error"


w = tf.Variable(np.ones((2, 2), np.float32), use_resource=True, name="w")
unused = tf.Variable(1.0, use_resource=True, name="unused")
results["keyword"] = refused(lambda: K.SGD(0.1, speed=3))
results["negative"] = refused(lambda: K.SGD(0.1, clipnorm=-1.0))
results["momentum"] = refused(lambda: K.SGD(0.1, momentum=2.0))
results["unknown"] = refused(lambda: K.get("nothing"))
results["no gradient"] = refused(lambda: K.SGD().get_updates(tf.reduce_sum(w), [w, unused]))
results["no gradients"] = refused(lambda: K.SGD().apply_gradients([(None, w)]))
results["nadam schedule"] = refused(lambda: K.Nadam(K.schedules.ExponentialDecay(0.1, 1, 0.5)))
results["boundaries"] = refused(lambda: K.schedules.PiecewiseConstantDecay([1], [0.1]))
results["ftrl"] = refused(lambda: K.Ftrl(learning_rate_power=1.0))
results["abstract"] = refused(lambda: K.schedules.LearningRateSchedule())

for name in ("sgd", "Adam", "rmsprop", "adagrad", "adadelta", "adamax", "nadam", "ftrl"):
    results["get " + name] = type(K.get(name)).__name__
serialized = K.serialize(K.Adam(0.25, amsgrad=True))
results["serialized"] = repr(sorted(serialized["config"].items()))
results["deserialized"] = repr(sorted(K.deserialize({"class_name": "SGD", "config": {"lr": 0.5}}).get_config().items()))
scheduled = K.serialize(K.SGD(K.schedules.InverseTimeDecay(0.5, 2, 0.25)))
results["schedule back"] = type(K.deserialize(scheduled).learning_rate).__name__

optimizer = K.Adam(lr=0.5)
step = optimizer.minimize(lambda: tf.reduce_sum(w * w), [w])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step)
    results["lr"] = float(B.get_value(optimizer.lr))
    B.set_value(optimizer.lr, 0.125)
    results["learning_rate"] = float(B.get_value(optimizer.learning_rate))
    optimizer.lr = 0.25
    results["assigned"] = float(B.get_value(optimizer.lr))
    optimizer.beta_1 = 0.75
    results["beta_1"] = float(sess.run(optimizer.beta_1))
    results["iterations"] = int(sess.run(optimizer.iterations))
    weights = optimizer.get_weights()
    results["weights"] = [np.asarray(v, np.float64) for v in weights]
    optimizer.set_weights([v + 1 for v in weights])
    results["raised"] = [np.asarray(v, np.float64) for v in optimizer.get_weights()]
    results["too few"] = refused(lambda: optimizer.set_weights(weights[:2]))
    results["shapes"] = refused(lambda: optimizer.set_weights([v[None] for v in weights]))
    results["iterations again"] = refused(lambda: setattr(optimizer, "iterations", unused))
    results["slot"] = sess.run(optimizer.get_slot(w, "m"))
results["name of the step"] = step.name
results["dependencies"] = [reference.name for reference in optimizer._checkpoint_dependencies]
