"""Models of Keras as estimators: written as classes, with checkpoints of objects, with weights of samples."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
keras = tf.keras
results = {}
random = np.random.RandomState(4)
x = random.rand(16, 3).astype("float32")
y = np.eye(2)[random.randint(0, 2, 16)].astype("float32")
weights = random.rand(16).astype("float32")


def numbers(found):
    return {key: round(float(found[key]), 4) for key in sorted(found)}


def functional(optimizer):
    inputs = keras.Input([3], name="given")
    hidden = keras.layers.Dense(4, activation="relu", name="hidden")(inputs)
    model = keras.Model(inputs, keras.layers.Dense(2, activation="softmax", name="out")(hidden))
    fixed = np.random.RandomState(9)
    model.set_weights([np.round(fixed.rand(*w.shape) - 0.4, 2) for w in model.get_weights()])
    model.compile(optimizer, "categorical_crossentropy", metrics={"out": "mse"})
    return model


class Written(keras.Model):
    def __init__(self):
        super(Written, self).__init__()
        self.hidden = keras.layers.Dense(4, activation="relu", kernel_initializer="ones")
        self.out = keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, inputs):
        return self.out(self.hidden(inputs))


def batches(features, labels):
    return lambda: tf.data.Dataset.from_tensor_slices((features, labels)).batch(4).repeat(3)


# ---- checkpoints
for kind in ["saver", "checkpoint"]:
    for optimizer in ["sgd", "adam", tf.train.MomentumOptimizer(0.05, 0.9)]:
        keras.backend.clear_session()
        model = functional(optimizer)
        folder = tempfile.mkdtemp()
        estimator = keras.estimator.model_to_estimator(model, model_dir=folder, checkpoint_format=kind)
        estimator.train(batches({"given": x}, y), steps=5)
        first = estimator.evaluate(batches({"given": x}, y))
        estimator.train(batches({"given": x}, y), steps=5)
        name = "%s %s" % (kind, optimizer if isinstance(optimizer, str) else "momentum")
        results[name] = [numbers(first), numbers(estimator.evaluate(batches({"given": x}, y)))]
        predictions = next(estimator.predict(lambda: tf.data.Dataset.from_tensor_slices({"given": x}).batch(4)))
        results[name].append({key: np.round(value, 3).tolist() for key, value in predictions.items()})
        names = [name for name, _ in tf.train.list_variables(tf.train.latest_checkpoint(folder))]
        results[name].append([name for name in names if "CHECKPOINTABLE" in name or "out" in name])

# ---- a class
for fitted in [False, True]:
    for by_name in [False, True]:
        keras.backend.clear_session()
        model = Written()
        model.compile(tf.train.GradientDescentOptimizer(0.01), "mse", metrics=["mae"])
        if fitted:
            model.fit(x, y, batch_size=4, shuffle=False, verbose=0)
        estimator = keras.estimator.model_to_estimator(model, model_dir=tempfile.mkdtemp())
        data = batches({"input_1": x} if by_name else x, {"output_1": y} if by_name else y)
        estimator.train(data, steps=5)
        results["class, fitted %s, by name %s" % (fitted, by_name)] = numbers(estimator.evaluate(data))
        if fitted:
            results["steps of the model"] = int(keras.backend.get_value(model.optimizer.iterations))

# ---- weights
keras.backend.clear_session()
model = functional("sgd")
estimator = keras.estimator.model_to_estimator(model, model_dir=tempfile.mkdtemp())
weighed = batches({"features": x, "sample_weights": weights}, y)
estimator.train(weighed, steps=3)
results["weights"] = numbers(estimator.evaluate(weighed))

# ---- names
for name, features, labels in [
    ("features", {"other": x}, y),
    ("labels", {"given": x}, {"other": y}),
]:
    keras.backend.clear_session()
    estimator = keras.estimator.model_to_estimator(functional("sgd"), model_dir=tempfile.mkdtemp())
    try:
        estimator.train(batches(features, labels), steps=1)
    except KeyError as error:
        results["names of " + name] = ["Difference" in str(error), "other" in str(error).split("Difference")[-1]]
results["optimizer"] = keras.optimizers.get(tf.train.AdamOptimizer()).iterations.name

# ---- weights without values come from the seed of the estimator, those with values are taken over
for named in ("new", "used", "loaded"):
    keras.backend.clear_session()
    tf.set_random_seed(3)
    model = keras.Sequential([keras.layers.Dense(2, activation="relu", input_shape=(3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    if named == "used":
        model.get_weights()
    if named == "loaded":
        model.set_weights([np.full(w.shape, 0.5) for w in model.get_weights()])
    folder = tempfile.mkdtemp()
    keras.estimator.model_to_estimator(model, config=tf.estimator.RunConfig(folder, tf_random_seed=7))
    results["first kernel: " + named] = tf.train.load_variable(folder + "/keras", "dense/kernel")
    results["kernel of the model: " + named] = model.get_weights()[0]
