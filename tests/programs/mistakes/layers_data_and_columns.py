"""Mistakes with the arguments of Keras' models and layers, of datasets, columns, estimators and savers."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
tf.logging.set_verbosity(tf.logging.ERROR)
FOLDER = tempfile.mkdtemp()
K = tf.keras
IMAGES = np.arange(1 * 4 * 4 * 2, dtype=np.float32).reshape([1, 4, 4, 2])
AROUND = [[0, 0], [1, 2], [2, 1], [0, 0]]
X, Y = np.ones([8, 4], np.float32), np.ones([8, 1], np.float32)


def model(**settings):
    """A compiled model of one number for four."""
    made = K.Sequential([K.layers.Dense(1, input_shape=(4,), kernel_initializer="ones")])
    made.compile(settings.pop("optimizer", "sgd"), settings.pop("loss", "mse"), **settings)
    return made


def fit(x, y, **arguments):
    """The loss of one epoch."""
    return model().fit(x, y, verbose=0, **arguments).history["loss"][0]


def convolved(**settings):
    """A sum over windows of 3 x 3 of all channels."""
    outputs = K.layers.Conv2D(1, 3, kernel_initializer="ones", **settings)(tf.constant(IMAGES))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(outputs)


def value(tensor, feeds=None):
    """The value of a tensor."""
    with tf.Session() as session:
        return session.run(tensor, feeds)


def elements(dataset):
    """The first element of a dataset."""
    return value(dataset.make_one_shot_iterator().get_next())


def saved(name, initialized):
    """Saves a variable under a bare name."""
    saver = tf.train.Saver([tf.Variable(1.0)])
    before = os.getcwd()
    os.chdir(FOLDER)
    try:
        with tf.Session() as session:
            if initialized:
                session.run(tf.global_variables_initializer())
            return saver.save(session, name)
    finally:
        os.chdir(before)


def recurrent(inputs, **arguments):
    """The shape of the last state."""
    return tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(3), inputs, dtype=tf.float32, **arguments)[1].shape.as_list()


def json(text):
    """How many layers a model has."""
    return len(K.models.model_from_json(text).layers)


def with_callback(callback):
    """Trains with a callback."""
    return sorted(model().fit(X, Y, verbose=0, callbacks=[callback]).history)


CASES = {
    "pairs of padding": lambda: convolved(padding=AROUND),
    "pairs of padding, strides": lambda: convolved(padding=AROUND, strides=2),
    "a word for each": lambda: convolved(padding=[1, 1]),
    "three pairs": lambda: convolved(padding=AROUND[:3]),
    "pairs, shape asked": lambda: K.layers.Conv2D(1, 3, padding=AROUND).compute_output_shape((1, 4, 4, 2)),
    "pairs, transposed": lambda: K.layers.Conv2DTranspose(1, 3, padding=AROUND)(tf.constant(IMAGES)),
    "named by a number": lambda: K.layers.Dense(1, name=3)(tf.ones([1, 2])),
    "named by bytes": lambda: K.layers.Dense(1, name=b"a")(tf.ones([1, 2])),
    "an empty tuple": lambda: fit((), ()),
    "an empty list": lambda: model().train_on_batch([], []),
    "lists of rows": lambda: fit(X.tolist(), Y),
    "rows of targets": lambda: fit(X, Y.tolist()),
    "a list of one input": lambda: fit([X.tolist()], [Y.tolist()]),
    "batches of nothing": lambda: fit(X, Y, batch_size=0),
    "batches of a text": lambda: fit(X, Y, batch_size="a"),
    "validation data of four": lambda: fit(X, Y, validation_data=(X, Y, Y, Y)),
    "weights in a list": lambda: fit(X, Y, sample_weight=[1.0] * 8),
    "a callback, no list": lambda: fit(X, Y, callbacks=K.callbacks.History()),
    "no samples": lambda: model().predict(X[:0]),
    "a tensor as loss": lambda: model(loss=tf.constant(1.0)),
    "no class of optimizer": lambda: model(optimizer={}),
    "a tuple of metrics": lambda: model(metrics=("acc",)),
    "None as metric": lambda: model(metrics=[None]),
    "a layer by number": lambda: model().get_layer(3),
    "no folder for a log": lambda: with_callback(K.callbacks.CSVLogger(os.path.join(FOLDER, "none", "a.csv"))),
    "no folder for a model": lambda: with_callback(K.callbacks.ModelCheckpoint(os.path.join(FOLDER, "none", "a"))),
    "a number for a model": lambda: with_callback(K.callbacks.ModelCheckpoint(3)),
    "numbers each x": lambda: with_callback(K.callbacks.TensorBoard(os.path.join(FOLDER, "logs"), update_freq="x")),
    "no file of weights": lambda: model().load_weights(os.path.join(FOLDER, "none.h5")),
    "a number of weights": lambda: model().load_weights(3),
    "weights to a number": lambda: model().save_weights(3),
    "no class in JSON": lambda: json("{}"),
    "no layers in JSON": lambda: json('{"class_name": "Sequential", "config": {}}'),
    "layers without a name": lambda: json('{"class_name": "Sequential", "config": {"layers": []}}'),
    "a predicate of two": lambda: elements(tf.data.Dataset.range(3).filter(lambda n: (n > 1, n))),
    "padded to -2": lambda: elements(tf.data.Dataset.range(4).batch(2).padded_batch(2, [-2])),
    "types of no dataset": lambda: tf.data.get_output_types(3),
    "a type's name": lambda: tf.feature_column.numeric_column("a", dtype="float32"),
    "a type's number": lambda: tf.feature_column.categorical_column_with_hash_bucket("a", 3, dtype=9),
    "a type of words": lambda: tf.feature_column.categorical_column_with_vocabulary_list("a", [1], dtype="int64"),
    "a folder's number": lambda: tf.estimator.RunConfig(model_dir=3).model_dir,
    "features of numbers": lambda: tf.estimator.export.build_raw_serving_input_receiver_fn({"a": 3})(),
    "an exporter unnamed": lambda: tf.estimator.LatestExporter("", lambda: None).name,
    "saved, bare": lambda: saved("bare", True),
    "not saved, bare": lambda: saved("bare", False),
    "slot of a number": lambda: tf.train.MomentumOptimizer(0.1, 0.9).get_slot(3, "momentum"),
    "iterations of a text": lambda: recurrent(tf.ones([2, 3, 4]), parallel_iterations="a"),
    "inputs of any rank": lambda: recurrent(tf.placeholder(tf.float32)),
}

for key, case in CASES.items():
    tf.reset_default_graph()
    K.backend.clear_session()
    try:
        results[key] = case()
    except Exception as error:
        results[key] = type(error).__name__
