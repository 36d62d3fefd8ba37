"""tf.keras.callbacks: what they are given, what they do, and what they write."""

import os
import re
import tempfile

import numpy as np
import tensorflow as tf

results = {}
callbacks = tf.keras.callbacks
folder = tempfile.mkdtemp()
R = np.random.RandomState(2)
X, Y = R.uniform(size=(20, 3)).astype("float32"), R.uniform(size=(20, 1)).astype("float32")


def model():
    """A small model whose training is the same every time."""
    tf.keras.backend.clear_session()
    made = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), name="d")])
    made.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    made.set_weights([np.array([[0.5], [-0.5], [1.0]]), np.array([0.1])])
    return made


def told(function):
    """What an error says it is."""
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


class Told(callbacks.Callback):
    """Notes what is called."""

    def __init__(self):
        super(Told, self).__init__()
        self.calls = []


def noting(name):
    def method(self, *args):
        logs = args[-1] or {}
        self.calls.append([name] + list(args[:-1]) + sorted(logs))

    return method


for hook in ["train", "test", "predict"]:
    for end in ("begin", "end"):
        for name in ("on_%s_%s" % (hook, end), "on_%s_batch_%s" % (hook, end)):
            setattr(Told, name, noting(name))
for name in ("on_epoch_begin", "on_epoch_end"):
    setattr(Told, name, noting(name))

told_of = Told()
made = model()
made.fit(X, Y, batch_size=8, epochs=2, verbose=0, validation_data=(X[:4], Y[:4]), callbacks=[told_of])
results["params"] = {key: str(value) for key, value in told_of.params.items()}
made.evaluate(X, Y, batch_size=16, verbose=0, callbacks=[told_of])
made.predict(X, batch_size=16, callbacks=[told_of])
results["calls"] = [[str(part) for part in call] for call in told_of.calls]


def trained(*used, **arguments):
    """The history of a training."""
    made = model()
    history = made.fit(X, Y, batch_size=5, epochs=6, verbose=0, shuffle=False, callbacks=list(used), **arguments)
    results["weights %d" % len(results)] = made.get_weights()
    return [history.epoch, {key: [float(value) for value in values] for key, values in history.history.items()}]


validated = {"validation_data": (X[:6], 1.0 - Y[:6])}
results["plain"] = trained()
results["early"] = trained(callbacks.EarlyStopping(patience=1), **validated)
results["early, best weights"] = trained(
    callbacks.EarlyStopping(patience=2, restore_best_weights=True, min_delta=0.001), **validated
)
results["early, baseline"] = trained(callbacks.EarlyStopping(monitor="loss", baseline=0.01, patience=2))
results["early, more is better"] = trained(callbacks.EarlyStopping(monitor="loss", mode="max", patience=1))
results["early, unknown"] = trained(callbacks.EarlyStopping(monitor="nothing", mode="x"))
results["scheduled"] = trained(callbacks.LearningRateScheduler(lambda epoch: 0.1 / (1 + epoch)))
results["scheduled by rate"] = trained(callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5))
results["plateau"] = trained(callbacks.ReduceLROnPlateau(factor=0.5, patience=1, cooldown=1, min_lr=0.02), **validated)
results["plateau of larger steps"] = trained(callbacks.ReduceLROnPlateau("loss", 0.1, 1, min_delta=1.0, min_lr=0.001))
seen = []
results["lambda"] = trained(
    callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: seen.append(["epoch", epoch]),
        on_batch_end=lambda batch, logs: seen.append(["batch", batch]),
        on_train_end=lambda logs: seen.append(["end"]),
    )
)
results["lambda calls"] = [[str(part) for part in one] for one in seen]
made = model()
made.set_weights([np.full((3, 1), np.nan), np.zeros(1)])
results["not a number"] = made.fit(X, Y, epochs=3, verbose=0, callbacks=[callbacks.TerminateOnNaN()]).epoch

path = os.path.join(folder, "log.csv")
trained(callbacks.CSVLogger(path), **validated)
trained(callbacks.CSVLogger(path, append=True), callbacks.EarlyStopping("loss", patience=0, baseline=0.0), **validated)
with open(path, "rb") as written:
    lines = written.read().decode().split("\r\n")
results["csv"] = [lines[0], len(lines)] + [[round(float(cell), 3) for cell in line.split(",")] for line in lines[1:-1]]

files = os.path.join(folder, "w{epoch:02d}.ckpt")
trained(callbacks.ModelCheckpoint(files, save_weights_only=True, period=2))
results["every second"] = sorted(name for name in os.listdir(folder) if name.endswith(".index"))
best = os.path.join(folder, "best-{epoch}-{val_loss:.2f}.ckpt")
trained(callbacks.ModelCheckpoint(best, save_weights_only=True, save_best_only=True), **validated)
results["best"] = sorted(name for name in os.listdir(folder) if re.match(r"best.*\.index", name))
often = os.path.join(folder, "often-{epoch}.ckpt")
trained(callbacks.ModelCheckpoint(often, save_weights_only=True, save_freq=30))
results["by samples"] = sorted(name for name in os.listdir(folder) if re.match(r"often.*\.index", name))
results["errors"] = [
    told(lambda: callbacks.ModelCheckpoint("x", save_freq="batch")),
    told(lambda: callbacks.ProgbarLogger("x")),
    told(lambda: callbacks.ReduceLROnPlateau(factor=1.0)),
    told(lambda: trained(callbacks.LearningRateScheduler(lambda epoch: "fast"))),
]
