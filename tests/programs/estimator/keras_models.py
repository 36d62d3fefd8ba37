"""A compiled model of Keras as an estimator: it begins with the model's weights, trains, evaluates, predicts, exports."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
state = np.random.RandomState(4)
X = state.rand(12, 3).astype(np.float32)
Y = np.eye(2)[state.randint(0, 2, 12)].astype(np.float32)


def model(optimizer):
    left = tf.keras.Input([3], name="left")
    hidden = tf.keras.layers.Dense(4, activation="tanh", name="hidden")(left)
    hidden = tf.keras.layers.BatchNormalization(name="norm")(hidden)
    out = tf.keras.layers.Dense(2, activation="softmax", name="out")(hidden)
    made = tf.keras.Model(left, out)
    made.compile(optimizer=optimizer, loss="categorical_crossentropy", metrics=["mse", "categorical_accuracy"])
    fixed = np.random.RandomState(9)
    made.set_weights([np.abs(fixed.standard_normal(w.shape)) for w in made.get_weights()])
    return made


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"left": X}, Y)).batch(4).repeat(3)


def receiver():
    left = tf.placeholder(tf.float32, [None, 3], name="request")
    return tf.estimator.export.ServingInputReceiver({"left": left}, {"x": left})


for name, optimizer in (("keras", "sgd"), ("momentum", tf.train.MomentumOptimizer(0.05, 0.9))):
    folder = tempfile.mkdtemp()
    config = tf.estimator.RunConfig(tf_random_seed=2, model_dir=folder)
    estimator = tf.keras.estimator.model_to_estimator(model(optimizer), config=config)
    results[name + "/first"] = sorted(key for key, _ in tf.train.list_variables(os.path.join(folder, "keras")))
    results[name + "/kernel"] = tf.train.load_variable(os.path.join(folder, "keras"), "hidden/kernel")
    estimator.train(input_fn)
    results[name + "/names"] = estimator.get_variable_names()
    for key in ("hidden/kernel", "norm/moving_mean", "out/bias", "global_step"):
        results[name + "/value/" + key] = estimator.get_variable_value(key)
    for key, value in estimator.evaluate(input_fn).items():
        results[name + "/metric/" + key] = value
    results[name + "/predicted"] = np.array([row["out"] for row in estimator.predict(input_fn)])
    exported = estimator.export_saved_model(tempfile.mkdtemp(), receiver)
    with tf.Session(graph=tf.Graph()) as sess:
        signature = tf.saved_model.load(sess, ["serve"], exported).signature_def["serving_default"]
        results[name + "/signature"] = [signature.inputs["x"].name, signature.outputs["out"].name]

for bad in ({}, {"keras_model": model("sgd"), "keras_model_path": "file"}):
    try:
        tf.keras.estimator.model_to_estimator(**bad)
    except ValueError as error:
        results.setdefault("refused", []).append(type(error).__name__)
