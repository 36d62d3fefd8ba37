"""Batch normalization as TensorFlow 2 has it: frozen layers keep their moving averages."""

import numpy as np
import tensorflow as tf
from tensorflow.python.keras.layers import normalization, normalization_v2

V1, V2 = normalization.BatchNormalization, normalization_v2.BatchNormalization
results = {"one class": V1 is tf.keras.layers.BatchNormalization, "another": V1 is V2}
x = np.random.RandomState(2).randn(6, 2, 2, 3)
for cls, version in ((V1, "v1"), (V2, "v2")):
    for trainable in (True, False):
        for shape in ([3], [2, 2, 3]):
            for training in (True, False, None):
                tf.reset_default_graph()
                layer = cls(momentum=0.5, trainable=trainable)
                inputs = tf.placeholder(tf.float32, [None] + shape)
                outputs = layer(inputs, training=training)
                phase = tf.keras.backend.learning_phase()
                feed = {inputs: x if len(shape) > 1 else x[:, 0, 0]}
                with tf.Session() as sess:
                    sess.run(tf.global_variables_initializer())
                    found = [len(layer.updates), [v.name for v in layer.trainable_weights]]
                    for learning in (False, True):
                        feed[phase] = learning
                        found.append(sess.run(outputs, feed))
                        sess.run(layer.updates, feed)
                        found.append(sess.run(layer.weights))
                results["%s %s %d %s" % (version, trainable, len(shape), training)] = found
tf.reset_default_graph()
results["config"] = V2(renorm=True).get_config()
results["saved"] = tf.keras.layers.serialize(V2())["class_name"]


def mistake(make):
    """What is said of arguments that do not fit."""
    try:
        make()
    except ValueError as error:
        return str(error)
    return "no error"


results["mistakes"] = [
    mistake(lambda: V2(fused=True, renorm=True)),
    mistake(lambda: V2(fused=True, axis=[1, 2])),
    mistake(lambda: V2(fused=True, virtual_batch_size=2)),
    mistake(lambda: V2(fused=True, adjustment=lambda shape: shape)),
    mistake(lambda: V2(fused=True)(tf.placeholder(tf.float32, [2, 3]))),
    mistake(lambda: V2(fused=True, axis=2)),
    mistake(lambda: V2(axis=2)(tf.placeholder(tf.float32, [2, 3, 3, 3]))),
    mistake(lambda: V1(fused=True, renorm=True)),
]
