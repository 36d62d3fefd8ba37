"""tf.keras: what fit, evaluate and predict take: datasets, generators, sequences, tensors, lists, dicts."""

import numpy as np
import tensorflow as tf

results = {}
layers = tf.keras.layers
r = np.random.RandomState(41)
x, y = r.rand(10, 4).astype(np.float32), r.rand(10, 2).astype(np.float32)


def made():
    tf.keras.backend.clear_session()
    tf.set_random_seed(42)
    np.random.seed(43)
    model = tf.keras.Sequential([layers.Dense(3, activation="relu", input_shape=(4,)), layers.Dense(2)])
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def plain(history):
    return {key: [float(v) for v in values] for key, values in history.history.items()}


model = made()
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
results["dataset"] = plain(model.fit(dataset, epochs=2, verbose=0))
results["dataset_steps"] = plain(model.fit(dataset.repeat(), steps_per_epoch=2, epochs=2, verbose=0))
results["dataset_short"] = plain(model.fit(dataset, steps_per_epoch=2, epochs=3, verbose=0))
results["dataset_validation"] = plain(model.fit(dataset, epochs=2, validation_data=dataset, verbose=0))
results["dataset_evaluate"] = [float(v) for v in model.evaluate(dataset, verbose=0)]
results["dataset_predict"] = model.predict(dataset)
filtered = tf.data.Dataset.from_tensor_slices((x, y)).filter(lambda a, b: tf.reduce_sum(a) > 1.5).batch(3)
results["dataset_unknown_size"] = plain(model.fit(filtered, epochs=2, verbose=0))
weighted = tf.data.Dataset.from_tensor_slices((x, y, np.linspace(0, 1, 10).astype(np.float32))).batch(5)
results["dataset_weights"] = plain(model.fit(weighted, verbose=0))
results["arrays_then_dataset"] = plain(model.fit(x, y, validation_data=dataset, verbose=0, shuffle=False))

model = made()


def batches():
    while True:
        for i in (0, 3, 5):
            yield x[i : i + 3], y[i : i + 3]


results["generator"] = plain(model.fit(batches(), steps_per_epoch=3, epochs=2, verbose=0, workers=0))
results["generator_validation"] = plain(model.fit_generator(batches(), 3, validation_data=(x, y), verbose=0, workers=0))
results["generator_evaluate"] = [float(v) for v in model.evaluate_generator(batches(), 3, workers=0)]
results["generator_predict"] = model.predict_generator(batches(), 2, workers=0)


class Rows(tf.keras.utils.Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return x[: 2 + index], y[: 2 + index]


results["sequence"] = plain(model.fit(Rows(), epochs=2, verbose=0, shuffle=False))
results["sequence_evaluate"] = [float(v) for v in model.evaluate(Rows(), verbose=0)]
results["sequence_predict"] = model.predict(Rows())
results["sequence_validation"] = plain(model.fit(Rows(), validation_data=Rows(), verbose=0, shuffle=False))

model = made()
tx, ty = tf.constant(x), tf.constant(y)
results["tensors"] = plain(model.fit(tx, ty, steps_per_epoch=3, epochs=2, verbose=0))
results["tensors_predict"] = model.predict(tx, steps=2).shape
results["tensors_batch"] = [float(v) for v in model.train_on_batch(tx, ty)]
results["steps_on_arrays"] = plain(model.fit(x, y, steps_per_epoch=2, verbose=0))
results["list_of_one"] = plain(model.fit([x], [y], verbose=0))
results["dict"] = plain(model.fit({model.input_names[0]: x}, {model.output_names[0]: y}, verbose=0))


class Doubled(tf.keras.Model):
    def __init__(self):
        super(Doubled, self).__init__()
        self.hidden = layers.Dense(3, activation="relu")
        self.out = layers.Dense(2)

    def call(self, inputs, training=None):
        return self.out(self.hidden(inputs)) * 2.0


tf.keras.backend.clear_session()
tf.set_random_seed(44)
np.random.seed(45)
model = Doubled()
model.compile("sgd", "mse", metrics=["mae"])
results["subclassed"] = plain(model.fit(x, y, epochs=3, batch_size=4, verbose=0))
results["subclassed_names"] = [model.metrics_names, model.input_names, model.output_names]
results["subclassed_predict"] = model.predict(x[:2])

tf.keras.backend.clear_session()
tf.set_random_seed(46)
deferred = tf.keras.Sequential([layers.Dense(3, activation="relu"), layers.Dense(2)])
deferred.compile("sgd", "mse")
results["deferred"] = plain(deferred.fit(x, y, epochs=2, verbose=0))
results["deferred_names"] = [deferred.input_names, deferred.output_names]
