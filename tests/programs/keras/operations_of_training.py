"""How many operations training and files add to a graph, as seeds of later layers depend on it, and names of slots."""

import os
import tempfile

import numpy as np
import tensorflow as tf

K = tf.keras.backend
layers = tf.keras.layers

np.random.seed(1)
tf.set_random_seed(2)
graph = tf.get_default_graph()
counts = []
results = {}


def note(step):
    counts.append([step, len(graph.get_operations())])


images, labels = np.random.rand(24, 6, 6, 2).astype("float32"), np.random.randint(0, 3, 24)
model = tf.keras.Sequential(
    [
        layers.Conv2D(3, 3, use_bias=False, input_shape=(6, 6, 2)),
        layers.BatchNormalization(),
        layers.Flatten(),
        layers.Dropout(0.3),
        layers.Dense(3, activation="softmax", kernel_constraint="maxnorm"),
    ]
)
note("model")
model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), "sparse_categorical_crossentropy", metrics=["acc"])
note("compile")
history = model.fit(images, labels, batch_size=8, epochs=2, verbose=0, validation_split=0.25)
note("fit")
results["history"] = {name: [float(v) for v in values] for name, values in history.history.items()}
model.evaluate(images, labels, verbose=0)
model.predict(images)
note("evaluate and predict")
path = os.path.join(tempfile.mkdtemp(), "model.h5")
model.save(path)
weights = model.get_weights()
note("reading")
model.set_weights(weights)
note("writing")
data = tf.data.Dataset.from_tensor_slices((images, labels)).batch(8).repeat()
model.fit(data, steps_per_epoch=3, verbose=0)
note("a dataset")
loaded = tf.keras.models.load_model(path)
note("load_model")
loaded.train_on_batch(images, labels, sample_weight=np.ones(24))
note("weights of samples")

# A second model: its weights and those of its optimizer are named and drawn after all that came before.
words, truth = np.random.randint(0, 9, (8, 5)), np.random.randint(0, 2, (8, 1))
second = tf.keras.Sequential(
    [
        layers.Embedding(9, 4, mask_zero=True),
        layers.Bidirectional(layers.LSTM(3)),
        layers.Dense(1, activation="sigmoid"),
    ]
)
second.compile("adam", "binary_crossentropy", metrics=["accuracy", tf.keras.metrics.AUC(num_thresholds=5)])
history = second.fit(words, truth, batch_size=4, epochs=2, verbose=0)
note("a second model")
results["second history"] = {name: [float(v) for v in values] for name, values in history.history.items()}
results["slots"] = [variable.name for variable in second.optimizer.weights]
results["counts"] = counts


# Variables that a layer of the program's own keeps are initialized as well.
class Scale(layers.Layer):
    def __init__(self):
        super(Scale, self).__init__()
        self.factor = tf.Variable(2.0, use_resource=True)

    def call(self, inputs):
        return inputs * self.factor


own = tf.keras.Sequential([Scale()])
own.compile("sgd", "mse")
results["own layer"] = float(own.train_on_batch(np.ones((2, 3)), np.ones((2, 3))))
# The numbers of classes of steps come with or without an axis of their own.
steps = tf.keras.Sequential([layers.Dense(4, input_shape=(5, 2), kernel_initializer="zeros")])
steps.compile("sgd", "sparse_categorical_crossentropy")
results["classes of steps"] = float(steps.train_on_batch(np.ones((2, 5, 2)), np.ones((2, 5))))
