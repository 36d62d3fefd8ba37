"""Models that get other layers after `compile`, weights that do not fit, files of models, and names in their place."""

import os
import tempfile

import h5py
import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.FATAL)
K, L = tf.keras, tf.keras.layers
X = np.linspace(-1, 1, 24).reshape(8, 3).astype(np.float32)
Y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)
results = {}
os.chdir(tempfile.mkdtemp())


def model(units=2, last=1, loss="mse", optimizer="sgd", **settings):
    """A compiled model of three numbers."""
    first = L.Dense(units, input_shape=(3,), kernel_initializer="ones", name="a")
    made = K.Sequential([first, L.Dense(last, kernel_initializer="ones", name="b")])
    made.compile(optimizer, loss, **settings)
    return made


def loss(made, y=Y):
    """The loss of one epoch."""
    return round(float(made.fit(X, y, verbose=0).history["loss"][0]), 4)


def extended(units=1, **settings):
    """A model with one more layer than it was compiled with."""
    made = model(**settings)
    made.add(L.Dense(units, kernel_initializer="ones"))
    return made


def shortened(trained=False):
    """A model with one layer less."""
    made = model()
    if trained:
        made.fit(X, Y, verbose=0)
    made.pop()
    return made


def emptied():
    """A model whose layers are gone."""
    made = shortened()
    made.pop()
    return made.fit(X, Y, verbose=0)


def changed():
    """Which weights a step changes after a layer has come."""
    made = model()
    made.fit(X, Y, verbose=0)
    made.add(L.Dense(1, kernel_initializer="ones"))
    before = made.get_weights()
    made.fit(X, Y, verbose=0)
    return [bool(np.any(old != new)) for old, new in zip(before, made.get_weights())]


def loaded(**settings):
    """A model with the weights of another one."""
    model().save_weights("weights.h5")
    made = model(**settings)
    made.load_weights("weights.h5")
    return made


def embedded():
    """An embedding of more words than were saved."""
    K.Sequential([L.Embedding(5, 2, input_length=3)]).save_weights("words.h5")
    made = K.Sequential([L.Embedding(9, 2, input_length=3)])
    made.load_weights("words.h5")
    return [weight.shape for weight in made.get_weights()]


def damaged(change):
    """What loading a file says after a change to it."""
    model().save("model.h5")
    with h5py.File("model.h5", "r+") as file:
        change(file)
    return len(K.models.load_model("model.h5").layers)


def with_objects(objects):
    """A model, loaded."""
    model().save("own.h5")
    return len(K.models.load_model("own.h5", objects).layers)


def written(path, **arguments):
    """What is there after saving."""
    model().save(path, **arguments)
    return "folder" if os.path.isdir(path) else "file"


def folder():
    """Weights of a folder."""
    os.mkdir("folder")
    return model().load_weights("folder")


def optimizer_of(weights):
    """An optimizer without variables that gets values."""
    made = K.optimizers.Adam()
    made.set_weights(weights)
    return len(made.get_weights())


def of_two(*tensors):
    """A model of two inputs, called."""
    inputs = [K.Input((3,)), K.Input((2,))]
    made = K.Model(inputs, L.Dense(1)(L.concatenate(inputs)))
    return made(list(tensors)).shape.as_list()


def predicted(*parts):
    """The shape of the predictions for a dataset."""
    return model().predict(tf.data.Dataset.from_tensor_slices(parts).batch(4)).shape


class WithoutCall(K.Model):
    """A model that lacks what it computes."""


class OfTwo(K.Model):
    """A model whose `call` takes two arguments, of which Keras gives one."""

    def call(self, first, second):
        return first + second


class OfArrays(K.Model):
    """A model that takes a symbolic tensor for an array."""

    def call(self, inputs):
        return np.square(inputs)


class Penalty(K.regularizers.Regularizer):
    """A regularizer that does not say how to make it again."""

    def __call__(self, weights):
        return tf.reduce_sum(weights)


class Unnamed(object):
    """A function that is an object."""

    def __call__(self, weights):
        return weights


def compiled_of(kind):
    """A compiled model of a class."""
    made = kind()
    made.compile("sgd", "mse")
    return made


CASES = {
    "no call": lambda: compiled_of(WithoutCall).fit(X, Y, verbose=0),
    "no call, predicted": lambda: WithoutCall().predict(X),
    "two arguments": lambda: compiled_of(OfTwo).fit(X, Y, verbose=0),
    "two arguments, tested": lambda: compiled_of(OfTwo).evaluate(X, Y, verbose=0),
    "two arguments, predicted": lambda: OfTwo().predict(X),
    "two arguments, a batch": lambda: compiled_of(OfTwo).train_on_batch(X, Y),
    "two arguments, a batch predicted": lambda: OfTwo().predict_on_batch(X),
    "arrays of tensors": lambda: compiled_of(OfArrays).fit(X, Y, verbose=0),
    "a loss before compile": lambda: K.Sequential().loss,
    "a penalty without settings": lambda: K.Sequential([L.Dense(1, kernel_regularizer=Penalty())]).get_config(),
    "a constraint without a name": lambda: K.Sequential([L.Dense(1, kernel_constraint=Unnamed())]).get_config(),
    "one more layer": lambda: loss(extended()),
    "one more layer, with metrics": lambda: extended(metrics=["mae"]).metrics_names,
    "one more layer, evaluated": lambda: round(float(extended().evaluate(X, Y, verbose=0)), 4),
    "one more layer, a batch": lambda: round(float(extended().train_on_batch(X, Y)), 4),
    "one more layer, not fitting": lambda: loss(extended(2)),
    "one layer less": lambda: loss(shortened(), np.ones([8, 2])),
    "one layer less, not fitting": lambda: loss(shortened()),
    "one layer less after training": lambda: len(shortened(True).fit(X, np.ones([8, 2]), verbose=0).history),
    "one layer less, predicted": lambda: shortened().predict(X).shape,
    "no layers": emptied,
    "weights that change": changed,
    "weights of other sizes": lambda: [weight.shape for weight in loaded(units=3).get_weights()],
    "weights of other sizes, predicted": lambda: np.round(loaded(units=3).predict(X), 4).tolist(),
    "weights of other outputs": lambda: loaded(last=5).predict(X).shape,
    "weights of more words": embedded,
    "no configuration": lambda: damaged(lambda file: file.attrs.__setitem__("model_config", b"{")),
    "no layer": lambda: damaged(lambda file: file["model_weights"].__delitem__("a")),
    "no weight": lambda: damaged(lambda file: file["model_weights/a/a"].__delitem__("kernel:0")),
    "objects in a list": lambda: with_objects([L.Dense]),
    "objects as text": lambda: with_objects("Dense"),
    "an HDF5 ending and another format": lambda: written("ending.h5", save_format="tf"),
    "an HDF5 ending and no format": lambda: written("ending.hdf5", save_format="nothing"),
    "weights of a folder": folder,
    "an optimizer of no variables": lambda: optimizer_of([np.zeros(2)]),
    "two for an optimizer of no variables": lambda: optimizer_of([np.zeros(2)] * 2),
    "a loss with named arguments": lambda: loss(model(loss=tf.nn.sigmoid_cross_entropy_with_logits)),
    "a strategy in compile": lambda: loss(model(distribute=tf.distribute.OneDeviceStrategy("/cpu:0"))),
    "a number as a strategy": lambda: loss(model(distribute=3)),
    "arrays as predictions": lambda: K.losses.sparse_categorical_crossentropy([0, 1], np.ones([2, 3]) / 3),
    "a matrix of no file": lambda: K.utils.HDF5Matrix("nobody.h5", "rows"),
    "sources of a number": lambda: K.utils.get_source_inputs(3),
    "a mode of images": lambda: K.applications.imagenet_utils.preprocess_input(np.ones([1, 1, 3]), mode="x").tolist(),
    "too few inputs": lambda: of_two(K.Input((3,))),
    "too many inputs": lambda: of_two(K.Input((3,)), K.Input((2,)), K.Input((2,))),
    "as many inputs": lambda: of_two(K.Input((3,)), K.Input((2,))),
    "parts of one": lambda: predicted(X),
    "parts of two": lambda: predicted(X, Y),
    "parts of four": lambda: predicted(X, Y, Y, Y),
    "a generator to validate with": lambda: model().fit(X, Y, validation_data=(pair for pair in [(X, Y)]), verbose=0),
    "what is no generator": lambda: model().fit_generator(object(), steps_per_epoch=1),
}

for name, case in CASES.items():
    try:
        results[name] = case()
    except Exception as error:
        results[name] = type(error).__name__
