"""What callbacks and the bar on the screen are told of steps that only the end of the data tells; eagerly, as 1.15.5."""

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode

X, Y = np.ones([25, 2], np.float32), np.ones([25, 1], np.float32)


class _Told(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def _note(self, when):
        self.seen.append((when, self.params["steps"], self.params["samples"], self.params["batch_size"]))

    def on_epoch_begin(self, epoch, logs=None):
        self._note(f"begin {epoch}")

    def on_epoch_end(self, epoch, logs=None):
        self._note(f"end {epoch}")

    def on_test_begin(self, logs=None):
        self._note("test")

    def on_predict_begin(self, logs=None):
        self._note("predict")


@pytest.fixture
def model():
    with eager_mode():
        made = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        made.compile("sgd", "mse")
        yield made


def _dataset():
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(10)


def _endless():
    while True:
        yield X[:10], Y[:10]


def test_the_first_epoch_tells_how_many_there_are(model):
    told = _Told()
    model.fit(_dataset(), epochs=2, validation_data=_dataset(), verbose=0, callbacks=[told])
    assert [(when, steps) for when, steps, *_ in told.seen] == [
        ("begin 0", None),
        ("test", 3),
        ("end 0", 3),
        ("begin 1", 3),
        ("test", 3),
        ("end 1", 3),
    ]


def test_the_bar_ends_with_the_number_of_steps(model, capsys):
    model.fit(_dataset(), epochs=2, verbose=1)
    first, second = capsys.readouterr().out.split("Epoch 2/2")
    assert "3/Unknown" in first
    assert first.splitlines()[-1].count("3/3 [==============================]") == 1
    assert "Unknown" not in second
    assert "3/3" in second


def test_loops_of_generators_know_the_steps_of_a_dataset(model):
    told = _Told()
    model.fit_generator(_dataset(), epochs=1, verbose=0, callbacks=[told])
    assert told.seen == [("begin 0", 3, 3, None), ("end 0", 3, 3, None)]


def test_generators_do_not_tell_the_size_of_batches(model):
    told = _Told()
    model.fit(_endless(), steps_per_epoch=2, verbose=0, callbacks=[told])
    assert told.seen == [("begin 0", 2, 2, None), ("end 0", 2, 2, None)]


def test_whether_samples_are_counted_is_told_without_training(model):
    told = _Told()
    model.evaluate(X, Y, batch_size=10, verbose=0, callbacks=[told])
    model.predict(_dataset(), verbose=0, callbacks=[told])
    assert told.seen == [("test", 3, True, 10), ("predict", 3, False, None)]


def test_logs_of_the_begin_of_an_epoch_stay_empty():
    kept = []
    keep = tf.keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: kept.append(logs))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2)), np.ones((4, 1)), epochs=2, verbose=0, callbacks=[keep])
    assert kept == [{}, {}]
