"""tf.keras: a seeded convnet with batch normalization, pooling and dropout, its losses for 20 steps."""

import numpy as np
import tensorflow as tf

results = {}
layers = tf.keras.layers
tf.set_random_seed(5)
np.random.seed(6)
r = np.random.RandomState(7)
images = r.rand(40, 12, 12, 3).astype(np.float32)
labels = tf.keras.utils.to_categorical(r.randint(0, 3, 40), 3)

inputs = tf.keras.Input((12, 12, 3), name="image")
net = layers.Conv2D(6, 3, padding="same", use_bias=False, kernel_regularizer=tf.keras.regularizers.l2(1e-3))(inputs)
net = layers.BatchNormalization()(net)
net = layers.Activation("relu")(net)
net = layers.MaxPooling2D()(net)
net = layers.Conv2D(8, 3, activation="relu")(net)
net = layers.Dropout(0.5)(net)
net = layers.GlobalAveragePooling2D()(net)
outputs = layers.Dense(3, activation="softmax")(net)
model = tf.keras.Model(inputs, outputs)
model.compile(tf.keras.optimizers.Adam(0.01), "categorical_crossentropy", metrics=["acc", "mse"])
results["names"] = model.metrics_names
steps = []
for step in range(20):
    rows = slice(step % 4 * 10, step % 4 * 10 + 10)
    steps.append([float(v) for v in model.train_on_batch(images[rows], labels[rows])])
results["steps"] = steps
results["evaluate"] = [float(v) for v in model.evaluate(images, labels, batch_size=16, verbose=0)]
results["predict"] = model.predict(images[:4])
results["weights"] = {w.name: v for w, v in zip(model.weights, model.get_weights()) if v.ndim == 1}
history = model.fit(images, labels, batch_size=8, epochs=2, verbose=0, validation_data=(images[:8], labels[:8]))
results["fit"] = {key: [float(v) for v in values] for key, values in history.history.items()}

# Layers frozen after `compile` go on training; compiling again stops them.
before = model.get_weights()[0].copy()
model.layers[1].trainable = False
model.train_on_batch(images[:8], labels[:8])
results["frozen_too_late"] = bool(np.abs(model.get_weights()[0] - before).sum() > 0)
model.compile("sgd", "categorical_crossentropy")
before = model.layers[1].get_weights()[0].copy()
model.train_on_batch(images[:8], labels[:8])
results["frozen"] = bool(np.abs(model.layers[1].get_weights()[0] - before).sum() > 0)
results["one_number"] = float(model.test_on_batch(images[:8], labels[:8]))
