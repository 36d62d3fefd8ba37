"""Models after their session is gone, states that are carried or not, losses that are not reduced, and models without weights."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.FATAL)
K, L, keras = tf.keras.backend, tf.keras.layers, tf.keras
X = np.linspace(-1, 1, 12).reshape(4, 3).astype("float32")
Y = np.ones((4, 2), "float32")
STEPS = np.ones((1, 3, 1), "float32")
results = {}


def model(last=2, **settings):
    """A compiled model."""
    first = L.Dense(4, input_shape=(3,), kernel_initializer="ones", name="a")
    made = keras.Sequential([first, L.Dense(last, kernel_initializer="ones", name="b")])
    made.compile(settings.pop("optimizer", "sgd"), settings.pop("loss", "mse"), **settings)
    return made


def rounded(values):
    return np.round(np.asarray(values, dtype="float64"), 4)


def history(made, x=X, y=Y, **settings):
    return {k: rounded(v) for k, v in made.fit(x, y, verbose=0, shuffle=False, **settings).history.items()}


# ---- what was made before `clear_session`


def after_clearing(make, use):
    def run():
        made = make()
        K.clear_session()
        return use(made)

    return run


def used(made):
    made.predict(X)
    return made


def doubling():
    x = K.placeholder((None, 2))
    return K.function([x], [x * 2])


def in_another_graph(made):
    made.predict(X)
    with tf.Graph().as_default():
        return made.predict(X)


def old_after_new():
    """Tensors are found by their names, so the old model predicts what the new one does."""
    old = used(model())
    K.clear_session()
    new = keras.Sequential([L.Dense(4, input_shape=(3,), name="a"), L.Dense(2, kernel_initializer="zeros", name="b")])
    new.predict(X)
    return old.predict(X)


# ---- states


def recurrent(layer, **settings):
    """A layer that keeps its states."""
    return layer(2, stateful=True, kernel_initializer="ones", recurrent_initializer="ones", **settings)


def both_directions():
    return keras.Sequential([L.Bidirectional(recurrent(L.GRU), batch_input_shape=(1, 3, 1))])


def carried(made):
    found = [made.predict(STEPS), made.predict(STEPS)]
    made.reset_states()
    return rounded([*found, made.predict(STEPS)])


def of_fixed_size(layer):
    return keras.Sequential([L.InputLayer(batch_input_shape=(2, 3)), layer])


def trained_and_reset():
    made = both_directions()
    made.compile(keras.optimizers.SGD(0.0), "mse")
    first = [history(made, STEPS, np.ones((1, 4))) for _ in range(2)]
    made.reset_states()
    return [*first, history(made, STEPS, np.ones((1, 4)))]


def convolving(**settings):
    return L.ConvLSTM2D(2, 3, stateful=True, **settings)


# ---- losses without a reduction


def unreduced(**settings):
    return model(loss=keras.losses.MeanSquaredError(reduction="none"), **settings)


def trained_unreduced(**settings):
    made = unreduced()
    found = history(made, **settings)
    return [found, rounded(made.get_weights()[0]), rounded(made.evaluate(X, Y, verbose=0))]


def of_replicas(strategy, make, **settings):
    def run():
        with strategy.scope():
            made = make()
        return history(made, batch_size=4, **settings)

    return run


def frozen():
    made = model()
    made.trainable = False
    made.compile("sgd", "mse")
    return made


def cloned(tensor):
    given = keras.Sequential([L.Dense(2, input_shape=(3,), name="q")])
    return keras.models.clone_model(given, input_tensors=tensor).input_names


def cloned_graph(*tensors):
    x = keras.Input((3,), name="x")
    return keras.models.clone_model(keras.Model(x, L.Dense(2)(x)), input_tensors=list(tensors)).input_names


MIRRORED = tf.distribute.MirroredStrategy(["/cpu:0"])
ONE = tf.distribute.OneDeviceStrategy("/cpu:0")
CASES = {
    "predict after clearing": after_clearing(lambda: used(model()), lambda made: made.predict(X)),
    "evaluate after clearing": after_clearing(
        lambda: used(model()), lambda made: rounded(made.evaluate(X, Y, verbose=0))
    ),
    "weights after clearing": after_clearing(lambda: used(model()), lambda made: made.get_weights()),
    "file after clearing": after_clearing(
        lambda: used(model()), lambda made: made.save(os.path.join(tempfile.mkdtemp(), "after.h5"))
    ),
    "function after clearing": after_clearing(doubling, lambda made: made([np.ones((1, 2))])),
    "variable after clearing": after_clearing(lambda: K.variable(3.0), K.eval),
    "new model after clearing": after_clearing(lambda: used(model()), lambda made: history(model())),
    "another graph": lambda: in_another_graph(model()),
    "names of another model": old_after_new,
    "fed a variable": lambda: doubling()([K.ones((1, 2))]),
    "both directions carried": lambda: carried(both_directions()),
    "one direction carried": lambda: carried(keras.Sequential([recurrent(L.LSTM, batch_input_shape=(1, 3, 1))])),
    "both directions trained": trained_and_reset,
    "a smaller batch of a fixed size": lambda: of_fixed_size(L.Dense(2, kernel_initializer="ones")).predict(X[:3]),
    "one of a fixed size": lambda: of_fixed_size(L.BatchNormalization()).predict(X[:1]),
    "a smaller batch with states": lambda: keras.Sequential([recurrent(L.LSTM, batch_input_shape=(2, 3, 1))]).predict(
        np.ones((3, 3, 1))
    ),
    "convolving without a batch size": lambda: convolving()(keras.Input((4, 8, 8, 1))),
    "convolving not called": lambda: convolving().reset_states(),
    "unreduced": trained_unreduced,
    "unreduced in batches": lambda: trained_unreduced(batch_size=2, epochs=2),
    "unreduced, the last smaller": lambda: trained_unreduced(batch_size=3),
    "unreduced and weighted": lambda: trained_unreduced(sample_weight=np.arange(4.0)),
    "unreduced, validated": lambda: history(unreduced(), validation_data=(X, Y)),
    "unreduced, a batch": lambda: rounded(unreduced().train_on_batch(X, Y)),
    "unreduced on a device": of_replicas(ONE, unreduced),
    "unreduced, mirrored": of_replicas(MIRRORED, unreduced),
    "frozen on a device": of_replicas(ONE, frozen),
    "clone of a tensor": lambda: cloned(tf.ones((2, 3), name="given")),
    "clone of an input": lambda: cloned(keras.Input((3,), name="given")),
    "clone of a graph": lambda: cloned_graph(tf.ones((2, 3), name="given")),
    "clone of too many": lambda: cloned_graph(tf.ones((2, 3)), tf.ones((2, 3))),
    "no sequences": lambda: keras.preprocessing.sequence.pad_sequences([]),
    # The last: it leaves the scope of the strategy open in 1.15.
    "frozen, mirrored": of_replicas(MIRRORED, frozen),
}

for name, case in CASES.items():
    tf.reset_default_graph()
    K.clear_session()
    try:
        results[name] = case()
    except Exception as error:
        results[name] = type(error).__name__
