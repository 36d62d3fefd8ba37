"""How many operations models make whose optimizers, losses and metrics differ: seeds of what comes after count on it."""

import tensorflow as tf

keras = tf.keras
results = {}


def compiled(optimizer="sgd", loss="mse", metric=None, activation="sigmoid"):
    """The operations of a model's functions and the seed of a variable that is made after them."""
    tf.keras.backend.clear_session()
    tf.set_random_seed(7)
    keras.backend.learning_phase()
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), activation=activation)])
    model.compile(optimizer, loss, metrics=None if metric is None else [metric()])
    model._make_train_function()
    model._make_test_function()
    graph = tf.get_default_graph()
    count = len(graph.get_operations())
    tf.get_variable("after", [2])
    return count, [op.get_attr("seed2") for op in graph.get_operations() if op.type == "RandomUniform"]


for optimizer in ["sgd", "rmsprop", "adagrad", "adadelta", "adam", "adamax", "nadam", "ftrl"]:
    results[optimizer] = compiled(optimizer)
losses = ["mape", "msle", "kld", "hinge", "categorical_hinge", "poisson", "binary_crossentropy", keras.losses.Huber()]
for loss in [*losses, keras.losses.CategoricalCrossentropy(label_smoothing=0.1)]:
    results["loss", str(getattr(loss, "name", loss))] = compiled(loss=loss)
metrics = keras.metrics
for metric in [metrics.AUC, metrics.Precision, metrics.Recall, metrics.TruePositives, metrics.CosineSimilarity]:
    results["metric", metric.__name__] = compiled(metric=metric)
results["one class"] = compiled(metric=lambda: metrics.Precision(top_k=1))
results["among the first"] = compiled(metric=lambda: metrics.SparseTopKCategoricalAccuracy(1))
results["sensitivity"] = compiled(metric=lambda: metrics.SensitivityAtSpecificity(0.5))
results["specificity"] = compiled(metric=lambda: metrics.SpecificityAtSensitivity(0.5))
for activation in ["selu", "elu", "relu", "softplus", "hard_sigmoid", "softmax", "exponential"]:
    results["activation", activation] = compiled(activation=activation)
results = {" ".join(key) if isinstance(key, tuple) else key: list(value) for key, value in results.items()}
