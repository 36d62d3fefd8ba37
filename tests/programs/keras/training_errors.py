"""tf.keras: what is said of arguments and data that do not fit a model."""

import numpy as np
import tensorflow as tf

results = {}
layers = tf.keras.layers
x, y = np.ones((10, 4)), np.ones((10, 2))
model = tf.keras.Sequential([layers.Dense(2, input_shape=(4,), name="out")])


def said(name, function, *keys):
    try:
        function()
    except Exception as error:
        text = str(error)
        results[name] = [type(error).__name__] + [key in text for key in keys]
    else:
        results[name] = "no error"


said("not_compiled", lambda: model.fit(x, y), "must compile your model")
said("unknown_loss_key", lambda: model.compile("sgd", {"foo": "mse"}), "foo", "out")
said("two_losses", lambda: model.compile("sgd", ["mse", "mse"]), "has 1 outputs")
said("no_loss", lambda: model.compile("sgd"), "no loss to optimize")
said("unknown_argument", lambda: model.compile("sgd", "mse", foo=1), "Invalid keyword argument", "foo")
said("unknown_metrics_key", lambda: model.compile("sgd", "mse", metrics={"foo": "acc"}), "foo")
said("metrics_no_list", lambda: model.compile("sgd", "mse", metrics="acc"), "list or dictionary")
said("two_metrics", lambda: model.compile("sgd", "mse", metrics=[["acc"], ["acc"]]), "one entry per model output")
said("loss_weights_key", lambda: model.compile("sgd", "mse", loss_weights={"foo": 1}), "foo")
said("loss_weights_list", lambda: model.compile("sgd", "mse", loss_weights=[1, 2]), "loss_weights=[1, 2]")
said("two_modes", lambda: model.compile("sgd", "mse", sample_weight_mode=["temporal"] * 2), "sample_weight_mode")
said("unknown_loss", lambda: model.compile("sgd", "foo"), "Unknown loss function")
said("unknown_optimizer", lambda: model.compile("foo", "mse"), "Unknown optimizer", "foo")
model.compile("sgd", "mse")
said("wrong_width", lambda: model.fit(x[:, :3], y), "expected out_input to have shape (4,)", "array with shape (3,)")
said("wrong_rank", lambda: model.fit(x[:, None], y), "expected out_input to have 2 dimensions", "(10, 1, 4)")
said("wrong_target", lambda: model.fit(x, y[:, :1]), "(10, 1)", "(None, 2)", "mean_squared_error")
said("fewer_targets", lambda: model.fit(x, y[:3]), "10 input samples and 3 target samples")
said("unknown_input", lambda: model.fit({"a": x}, y), 'No data provided for "out_input"')
said("two_targets", lambda: model.fit(x, [y, y]), "Expected to see 1 array(s)", "2 arrays")
said("unknown_target", lambda: model.fit(x, {"b": y}), 'No data provided for "out"')
said("nothing", lambda: model.fit(), "steps_per_epoch")
said("number", lambda: model.fit(5, y), "received an integer")
said("weights_length", lambda: model.fit(x, y, sample_weight=np.ones(9)), "cannot be broadcast")
said("weights_rank", lambda: model.fit(x, y, sample_weight=np.ones((10, 2))), "temporal")
said("class_missing", lambda: model.fit(x, y, class_weight={1: 1}), "must contain all classes")
said("fit_argument", lambda: model.fit(x, y, foo=1), "Unrecognized keyword arguments")
said("validation_one", lambda: model.fit(x, y, validation_data=(x,)), "either 2 items")
said("validation_freq", lambda: model.fit(x, y, validation_freq=0, validation_data=(x, y)), "less than 1")
said("tensors", lambda: model.predict(tf.constant(x, tf.float32)), "`steps` argument")
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
said("dataset_target", lambda: model.fit(dataset, y), "should not specify a target")
said("dataset_batch_size", lambda: model.fit(dataset, batch_size=2), "must not be specified")
said("dataset_split", lambda: model.fit(dataset, validation_split=0.2), "`validation_split` argument is not supported")
said(
    "dataset_weights",
    lambda: model.fit(dataset, sample_weight=np.ones(3)),
    "is not supported when input `x` is a dataset",
)
said("dataset_infinite", lambda: model.fit(dataset.repeat()), "infinitely repeating", "steps_per_epoch")
said("iterator", lambda: model.fit(dataset.make_one_shot_iterator(), steps_per_epoch=3), "not iterators")


def batches():
    while True:
        yield x, y


said("generator_steps", lambda: model.fit(batches()), "steps_per_epoch")
said("generator_target", lambda: model.fit(batches(), y, steps_per_epoch=2), "`y` argument is not supported")
said(
    "generator_validation",
    lambda: model.fit(batches(), steps_per_epoch=2, validation_data=batches()),
    "validation_steps",
)
said("generator_batch_size", lambda: model.fit(batches(), steps_per_epoch=2, batch_size=2), "must not be specified")
classes = tf.keras.Sequential([layers.Dense(3, input_shape=(4,))])
classes.compile("sgd", "categorical_crossentropy")
said("class_numbers", lambda: classes.fit(x, np.ones((10, 1))), "to_categorical", "sparse_categorical_crossentropy")
fixed = tf.keras.Sequential([layers.Dense(3, batch_input_shape=(5, 4))])
fixed.compile("sgd", "mse")
said("batch_size", lambda: fixed.fit(x, np.ones((10, 3)), batch_size=2), "incompatible with the specified batch size")
said("sequence", lambda: layers.Dense(2)("text"))
del results["sequence"]
