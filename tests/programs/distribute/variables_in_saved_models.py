"""Variables that are synchronized when read, of one replica and of two, in SavedModels and checkpoints."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}


def written(devices, aggregation):
    strategy = tf.distribute.MirroredStrategy(devices)
    with strategy.scope():
        variable = tf.Variable(3.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=aggregation)
    module = tf.Module()
    module.v = variable
    key = "v/.ATTRIBUTES/VARIABLE_VALUE"
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        saved = tf.train.load_variable(os.path.join(folder, "variables", "variables"), key)
        path = tf.train.Checkpoint(v=variable).save(os.path.join(folder, "check"))
        return [float(saved), float(tf.train.load_variable(path, key))]


for kind in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
    how = getattr(tf.VariableAggregation, kind)
    results[kind] = [written(["/cpu:0"], how), written(["/cpu:0", "/cpu:1"], how)]

strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
with strategy.scope():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(2, input_shape=(3,), kernel_initializer="ones"),
            tf.keras.layers.BatchNormalization(momentum=0.5),
        ]
    )
    model.compile("sgd", "mse")
model.fit(np.float32([[1, 2, 3], [4, 5, 6]]), np.ones([2, 2], np.float32), epochs=2, verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model")
    tf.keras.experimental.export_saved_model(model, path, serving_only=True)
    values = os.path.join(path, "variables", "variables")
    for name in ("moving_mean", "moving_variance", "gamma"):
        key = "layer_with_weights-1/%s/.ATTRIBUTES/VARIABLE_VALUE" % name
        results[name] = tf.train.load_variable(values, key)
