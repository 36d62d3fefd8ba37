"""tf.keras: an autoencoder of stripes with callbacks; its best weights, whole models and halves go through files."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras
layers = keras.layers

folder = tempfile.mkdtemp()
random = np.random.RandomState(2)
angles = random.uniform(0, np.pi, 40)
rows, columns = np.mgrid[0:8, 0:8]
images = np.array([np.sin(rows * np.cos(a) + columns * np.sin(a)) for a in angles])[..., None].astype("float32")
train, test = images[:32], images[32:]

inputs = keras.Input(shape=(8, 8, 1), name="image")
h = layers.Conv2D(4, 3, strides=2, padding="same", name="down")(inputs)
h = layers.LeakyReLU(0.1)(h)
h = layers.Flatten()(h)
code = layers.Dense(3, name="code")(h)
h = layers.Dense(64, activation="elu", name="wide")(code)
h = layers.Reshape((4, 4, 4))(h)
h = layers.UpSampling2D(2)(h)
outputs = layers.Conv2DTranspose(1, 3, padding="same", name="up")(h)
model = keras.Model(inputs, outputs, name="autoencoder")
encoder = keras.Model(inputs, code)
start = [random.uniform(-0.2, 0.2, w.shape) for w in model.get_weights()]
model.set_weights(start)


class Notes(keras.callbacks.Callback):
    """What happens, and when."""

    def __init__(self):
        super(Notes, self).__init__()
        self.said = []

    def on_train_begin(self, logs=None):
        self.said.append("begin")

    def on_epoch_end(self, epoch, logs=None):
        self.said.append([epoch, sorted(logs), round(float(keras.backend.get_value(self.model.optimizer.lr)), 6)])

    def on_train_end(self, logs=None):
        self.said.append("end")


notes = Notes()
best = os.path.join(folder, "best.h5")
log = os.path.join(folder, "log.csv")
callbacks = [
    keras.callbacks.ModelCheckpoint(best, monitor="val_loss", save_best_only=True, save_weights_only=True),
    keras.callbacks.ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=1, min_delta=0.2),
    keras.callbacks.EarlyStopping(monitor="val_loss", patience=3, min_delta=0.1),
    keras.callbacks.CSVLogger(log),
    notes,
]
model.compile(keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
history = model.fit(
    train, train, epochs=12, batch_size=8, shuffle=False, validation_data=(test, test), callbacks=callbacks, verbose=0
)
results["history"] = {key: [float(v) for v in values] for key, values in history.history.items()}
results["notes"] = notes.said
with open(log) as lines:
    results["log_head"] = lines.readline().strip()
    results["log_lines"] = len(lines.readlines())

whole = os.path.join(folder, "model.h5")
model.save(whole)
again = keras.models.load_model(whole)
results["same_after_loading"] = bool(np.allclose(again.predict(test), model.predict(test), atol=1e-6))
# The optimizer goes on where it was.
results["goes_on"] = [float(v) for v in again.train_on_batch(train, train)]
results["went_on"] = [float(v) for v in model.train_on_batch(train, train)]
model.load_weights(best)
results["best"] = [float(v) for v in model.evaluate(test, test, verbose=0)]
results["codes"] = encoder.predict(test)
described = keras.models.model_from_json(model.to_json())
described.set_weights(model.get_weights())
results["same_after_json"] = bool(np.allclose(described.predict(test), model.predict(test), atol=1e-6))
by_name = keras.Sequential([layers.Conv2D(4, 3, strides=2, padding="same", input_shape=(8, 8, 1), name="down")])
by_name.load_weights(best, by_name=True)
results["down"] = by_name.get_weights()[0]
