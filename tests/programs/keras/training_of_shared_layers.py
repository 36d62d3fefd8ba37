"""Layers that are in a model twice: by themselves and in a model inside, whose losses, functions and updates they share."""

import numpy as np
import tensorflow as tf

tf.compat.v1.logging.set_verbosity("FATAL")
K, L, keras = tf.keras.backend, tf.keras.layers, tf.keras
X = np.linspace(-1, 1, 12).reshape(4, 3).astype("float32")
Y = np.ones((4, 2), "float32")
results = {}


def weights_of(model):
    return [np.round(w.astype("float64"), 4).tolist() for w in model.get_weights()]


def table(model):
    lines = []
    model.summary(print_fn=lines.append)
    return [" ".join(line.split()) for line in lines[-4:-1]]


def twice(optimizer):
    x = keras.Input((3,))
    shared = L.Dense(2, kernel_initializer="ones", kernel_regularizer="l2")
    model = keras.Model(x, L.Add()([shared(x), keras.Sequential([shared])(x)]))
    model.compile(optimizer, "mse")
    losses = [round(float(model.train_on_batch(X, Y)), 4) for _ in range(2)]
    return (
        losses,
        weights_of(model),
        len(model.trainable_weights),
        len(model.losses),
        model.count_params(),
        table(model),
    )


def autoencoder():
    """The loss is of the tensors that the model inside was made of."""
    x = keras.Input((3,))
    mean = L.Dense(2, kernel_initializer="ones", name="mean")(x)
    encoder = keras.Model(x, mean, name="encoder")
    out = L.Dense(3, kernel_initializer="ones", name="out")(encoder(x))
    model = keras.Model(x, out)
    model.add_loss(K.mean(K.square(out - x)) + K.mean(K.square(mean)))
    model.add_metric(K.mean(mean), name="mean", aggregation="mean")
    model.compile("adam")
    history = model.fit(X, epochs=2, batch_size=2, shuffle=False, verbose=0).history
    rounded = {key: [round(float(v), 4) for v in values] for key, values in history.items()}
    return rounded, weights_of(model), len(model.optimizer.get_weights()), table(model)


def functions_of_modes():
    """The learning phase is an input of the training function only."""
    model = keras.Sequential([L.Dense(2, kernel_initializer="ones", input_shape=(3,)), L.Dropout(0.5)])
    model.compile("sgd", "mse", metrics=["mae"])
    model._make_train_function()
    model._make_test_function()
    model._make_predict_function()
    made = model.train_function, model.test_function, model.predict_function
    tested = [round(float(v), 4) for v in model.test_function([X, Y])]
    return [len(each.inputs) for each in made], tested, model.predict_function([X])[0].tolist()


def copied():
    """Models one behind the other, each with a call of its own besides."""
    parts = [keras.Sequential([L.Dense(2, input_shape=(size,)), L.Dense(3)], name="part%d" % size) for size in (2, 3)]
    model = keras.Sequential(parts + [L.Dense(1)])
    model.add_loss(K.mean(K.square(model.output)))
    model.set_weights([np.linspace(-1, 1, w.size).reshape(w.shape) for w in model.get_weights()])
    copy = keras.models.clone_model(model)
    copy.set_weights(model.get_weights())
    return [layer.name for layer in copy.layers], len(copy.weights), len(copy.losses), copy.predict(X[:, :2]).tolist()


for name in ("sgd", "adam", "nadam"):
    results[name] = twice(name)
results["momentum of tf.train"] = twice(tf.compat.v1.train.MomentumOptimizer(0.1, 0.9))
results["autoencoder"] = autoencoder()
results["copied"] = copied()
results["functions"] = functions_of_modes()
# Numbers of NumPy, as other functions of the backend take them.
results["a NumPy number"] = float(K.eval(K.variable(np.float64(3.0))))
results["images"] = K.eval(K.resize_images(np.array([[[[1.0], [2.0]]]], "float32"), 1, 2, "channels_last")).tolist()
logits = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]], "float32")
results["logits"] = K.eval(K.sparse_categorical_crossentropy([0, 2], logits, from_logits=True)).tolist()
results["labels in lists"] = float(
    K.eval(keras.losses.SparseCategoricalCrossentropy(from_logits=True)([[0], [2]], logits))
)
