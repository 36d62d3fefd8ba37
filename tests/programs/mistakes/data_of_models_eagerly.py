"""What models that execute eagerly are trained on: generators, sequences, empty data, lists, tensors of other sizes."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tf.logging.set_verbosity(tf.logging.FATAL)
K, D = tf.keras, tf.data.Dataset
X = np.linspace(-1, 1, 24).reshape(8, 3).astype(np.float32)
Y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)
LABELS = np.array([0, 1, 2, 0, 1, 2, 0, 1])
DATA = D.from_tensor_slices((X, Y)).batch(4)
results = {}


class Batches(K.utils.Sequence):
    """Some batches, each of which may be another."""

    def __init__(self, *batches):
        self.batches = batches

    def __len__(self):
        return len(self.batches)

    def __getitem__(self, index):
        if isinstance(self.batches[index], Exception):
            raise self.batches[index]
        return self.batches[index]


class Pairs:
    """What is like a sequence and is none."""

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return X, Y


class Empty(Batches):
    """A sequence of no batches that has a first one."""

    def __init__(self):
        Batches.__init__(self, (X, Y))

    def __len__(self):
        return 0


def model(loss="mse", units=1, activation=None):
    """A compiled model of three numbers."""
    made = K.Sequential([K.layers.Dense(units, activation, input_shape=(3,), kernel_initializer="ones")])
    made.compile("sgd", loss)
    return made


def classes():
    """A model of three classes."""
    return model("sparse_categorical_crossentropy", 3, "softmax")


def endless(*batches):
    """The same batches over and over."""
    while True:
        for batch in batches:
            yield batch


def few(*batches):
    """Some batches."""
    return (batch for batch in batches)


def failing():
    """A batch and an error."""
    yield X, Y
    raise KeyError("mine")


def fit(x=None, y=None, made=None, **arguments):
    """The losses of the epochs."""
    history = (made or model()).fit(x, y, verbose=arguments.pop("verbose", 0), **arguments).history
    return [np.round(np.float64(history[key]), 4).tolist() for key in sorted(history)]


def fit_twice(second):
    """A model written in Python, trained on batches of another size the second time."""

    class Written(K.Model):
        def __init__(self):
            super().__init__()
            self.dense = K.layers.Dense(1)

        def call(self, inputs):
            return self.dense(inputs)

    made = Written()
    made.compile("sgd", "mse")
    made.fit(X, Y, verbose=0)
    return len(made.fit(second, Y, verbose=0).history)


def told(x, **arguments):
    """The epochs that a model trains for."""
    return len(model().fit(x, verbose=0, **arguments).history["loss"])


CASES = {
    "a generator, endless": lambda: fit(endless((X, Y)), steps_per_epoch=2, epochs=2),
    "a generator read by no worker": lambda: fit(few((X, Y), (X, Y)), workers=0),
    "a generator read again": lambda: fit(few((X, Y), (X, Y)), workers=0, epochs=2),
    "a generator of no steps": lambda: told(few((X, Y), (X, Y))),
    "a generator that ends early": lambda: told(few((X, Y), (X, Y)), steps_per_epoch=2, epochs=3),
    "a generator of nothing": lambda: told(few()),
    "a generator evaluated": lambda: round(float(model().evaluate(few((X, Y)), verbose=0)), 4),
    "a generator predicted": lambda: model().predict(few((X,))).shape,
    "a generator of numbers": lambda: told(few(3, 3)),
    "a generator of inputs only": lambda: told(few(X, X)),
    "a generator of None": lambda: told(few((X, None))),
    "a generator of a list": lambda: told(endless([X, Y]), steps_per_epoch=1),
    "a generator of lists": lambda: told(endless(([X], [Y])), steps_per_epoch=1),
    "a generator of rows as lists": lambda: told(endless((X.tolist(), Y.tolist())), steps_per_epoch=1),
    "a generator of other names": lambda: told(endless(({"nobody": X}, Y)), steps_per_epoch=1),
    "a generator of other widths": lambda: told(few((X, Y), (X[:, :2], Y)), steps_per_epoch=2, workers=0),
    "a generator of other structures": lambda: told(few((X, Y), (X, Y, LABELS)), steps_per_epoch=2, workers=0),
    "a generator of targets too few": lambda: told(few((X, Y), (X, Y[:4])), steps_per_epoch=2, workers=0),
    "a generator that fails": lambda: told(failing(), steps_per_epoch=2, workers=0),
    "a generator, weights of classes": lambda: fit(
        endless((X, LABELS)), made=classes(), steps_per_epoch=1, class_weight={0: 9.0}
    ),
    "a generator to validate with": lambda: fit(X, Y, validation_data=few((X, Y))),
    "a sequence": lambda: fit(Batches((X, Y), (X, Y))),
    "a sequence of a list": lambda: told(Batches([X, Y])),
    "a sequence of other widths": lambda: told(Batches((X, Y), (X[:, :2], Y)), shuffle=False),
    "a sequence of targets too few": lambda: told(Batches((X, Y), (X, Y[:3])), shuffle=False),
    "a sequence that fails": lambda: told(Batches((X, Y), KeyError("mine")), shuffle=False),
    "a sequence that fails at once": lambda: told(Batches(KeyError("mine"))),
    "a sequence shuffled, empty": lambda: told(Empty()),
    "a sequence, weights of classes": lambda: fit(Batches((X, LABELS)), made=classes(), class_weight={1: 9.0}),
    "no sequence": lambda: model().fit_generator(Pairs()),
    "a dataset that ends": lambda: told(DATA, steps_per_epoch=2, epochs=2),
    "a dataset that ends within an epoch": lambda: told(DATA, steps_per_epoch=1, epochs=3),
    "a dataset, weights of classes": lambda: fit(
        D.from_tensor_slices((X, LABELS)).batch(8), made=classes(), class_weight={0: 9.0}
    ),
    "a dataset validated with arrays": lambda: fit(DATA, validation_data=(X, Y)),
    "a dataset validated with steps of arrays": lambda: fit(DATA, validation_data=(X, Y), validation_steps=2),
    "an empty dataset": lambda: told(DATA.take(0)),
    "an empty dataset of steps": lambda: told(DATA.take(0), steps_per_epoch=1),
    "an empty dataset evaluated": lambda: model().evaluate(DATA.take(0), verbose=0),
    "an empty dataset evaluated and shown": lambda: model().evaluate(DATA.take(0)),
    "a dataset emptied evaluated": lambda: model().evaluate(DATA.filter(lambda x, y: False), verbose=0),
    "a dataset emptied predicted": lambda: model().predict(DATA.filter(lambda x, y: False)),
    "no rows": lambda: fit(X[:0], Y[:0]),
    "no rows shown": lambda: fit(X[:0], Y[:0], verbose=1),
    "no rows to validate with": lambda: fit(X, Y, validation_data=(X[:0], Y[:0])),
    "all rows to validate with": lambda: fit(X, Y, validation_split=1.0),
    "more than all rows to validate with": lambda: fit(X, Y, validation_split=1.2),
    "fewer than no rows to validate with": lambda: fit(X, Y, validation_split=-0.2),
    "nearly all rows to validate with": lambda: fit(X, Y, validation_split=0.95),
    "nearly all rows shown": lambda: fit(X, Y, validation_split=0.95, verbose=2),
    "rows of tensors to validate with": lambda: fit(tf.constant(X), tf.constant(Y), validation_split=0.5),
    "both to validate with": lambda: fit(X, Y, validation_split=0.5, validation_data=(X, Y)),
    "lists to validate with": lambda: fit(X.tolist(), Y.tolist(), validation_split=0.5),
    "lists and arrays": lambda: fit(X.tolist(), Y),
    "arrays and lists": lambda: fit(X, Y.tolist()),
    "arrays and a number": lambda: fit(X, 3),
    "text and arrays": lambda: fit("x", Y),
    "texts and arrays": lambda: fit(["x"], Y),
    "arrays and text": lambda: fit(X, "y"),
    "a truth and arrays": lambda: fit(True, Y),
    "text evaluated": lambda: model().evaluate("x", Y),
    "text predicted": lambda: model().predict("x"),
    "a number predicted": lambda: model().predict(3),
    "a variable": lambda: fit(tf.Variable(X), Y),
    "tensors, more targets": lambda: len(fit(tf.constant(X), tf.constant(np.concatenate([Y, Y])), batch_size=8)),
    "tensors, fewer targets": lambda: fit(tf.constant(X), tf.constant(Y[:3])),
    "arrays, fewer targets in a tensor": lambda: fit(X, tf.constant(Y[:3])),
    "tensors, fewer targets evaluated": lambda: model().evaluate(tf.constant(X), tf.constant(Y[:3]), verbose=0),
    "tensors, fewer targets in a batch": lambda: model().train_on_batch(tf.constant(X), tf.constant(Y[:3])),
    "tensors, fewer weights": lambda: fit(tf.constant(X), tf.constant(Y), sample_weight=np.ones(3)),
    "another width later": lambda: fit_twice(X[:, :2]),
    "a dataset of other names": lambda: told(D.from_tensor_slices(({"nobody": X}, Y)).batch(4)),
    "a dataset of other names of targets": lambda: told(D.from_tensor_slices((X, {"nobody": Y})).batch(4)),
    "a dataset as a batch": lambda: round(float(model().train_on_batch(DATA)), 4),
    "a dataset as a batch of predictions": lambda: (
        model().predict_on_batch(D.from_tensor_slices(X).batch(4)).numpy().shape
    ),
    "no loss": lambda: model(None),
    "arrays as predictions": lambda: K.losses.sparse_categorical_crossentropy(LABELS[:2], np.ones([2, 3]) / 3),
    "a function of nothing": lambda: K.backend.function([], []),
    "a function of values": lambda: K.backend.function([tf.ones(2)], [tf.ones(2)]),
}

for name, case in CASES.items():
    try:
        results[name] = case()
    except Exception as error:
        results[name] = type(error).__name__
