"""Losses of tf.keras on numbers and shapes that programs meet when something goes wrong, with weights of every rank."""

import numpy as np
import tensorflow as tf

losses = tf.keras.losses
results = {}

FUNCTIONS = [
    "binary_crossentropy", "categorical_crossentropy", "categorical_hinge", "cosine_similarity", "hinge",
    "kullback_leibler_divergence", "logcosh", "mean_absolute_error", "mean_absolute_percentage_error",
    "mean_squared_error", "mean_squared_logarithmic_error", "poisson", "sparse_categorical_crossentropy",
    "squared_hinge",
]  # fmt: skip
CLASSES = [
    "BinaryCrossentropy", "CategoricalCrossentropy", "CategoricalHinge", "CosineSimilarity", "Hinge", "Huber",
    "KLDivergence", "LogCosh", "MeanAbsoluteError", "MeanSquaredError", "Poisson", "SparseCategoricalCrossentropy",
]  # fmt: skip


def pair(kind, shape, sparse, number):
    """Labels and predictions of a kind."""
    random = np.random.RandomState(number)
    labels = (random.rand(*shape) > 0.5).astype("float32")
    if sparse:
        labels = np.asarray(random.randint(0, shape[-1], shape[:-1]), "float32")
    predictions = random.rand(*shape).astype("float32")
    if kind == "signed":
        predictions = predictions * 4 - 2
    elif kind == "nan":
        predictions.flat[0] = np.nan
    elif kind == "infinite":
        predictions.flat[0], predictions.flat[-1] = np.inf, -np.inf
    elif kind in ("zeros", "ones"):
        predictions[...] = kind == "ones"
    elif kind == "integers":
        labels = labels.astype("int32")
    return labels, predictions


def said(name, make):
    """The value of a tensor with its static shape, or the class of the error."""
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            tensor = make()
            value = session.run(tensor)
            numbers = [float(each) if np.isfinite(each) else repr(float(each)) for each in np.ravel(value)]
            results[name] = [str(tensor.shape), str(value.dtype), numbers]
        except Exception as error:
            results[name] = type(error).__name__


def gradient_of(function, labels, predictions):
    given = tf.constant(predictions)
    return tf.gradients(function(tf.constant(labels), given), given)[0]


for number, name in enumerate(FUNCTIONS):
    function = getattr(losses, name)
    sparse = "sparse" in name
    for kind in ["random", "signed", "nan", "infinite", "zeros", "ones", "integers"]:
        for shape in [(3,), (4, 3), (2, 2, 3), (1, 1)]:
            labels, predictions = pair(kind, shape, sparse, number)
            key = "%s %s %s" % (name, kind, shape)
            said(key, lambda: function(tf.constant(labels), tf.constant(predictions)))
        labels, predictions = pair(kind, (2, 3), sparse, number)
        said("gradient of %s %s" % (name, kind), lambda: gradient_of(function, labels, predictions))
    for one, other in [((4, 3), (4, 2)), ((4,), (4, 3)), ((4, 1), (4, 3)), ((4, 3), (4, 1))]:
        said("%s of %s and %s" % (name, one, other), lambda: function(tf.ones(one), tf.ones(other)))

WEIGHTS = {
    "scalar": lambda shape, random: 2.0,
    "of samples": lambda shape, random: random.rand(shape[0]).astype("float32"),
    "a column": lambda shape, random: random.rand(shape[0], 1).astype("float32"),
    "of steps": lambda shape, random: random.rand(*shape[:-1]).astype("float32"),
    "zeros": lambda shape, random: np.zeros(shape[0], "float32"),
    "too many": lambda shape, random: random.rand(shape[0] + 1).astype("float32"),
    "of too high a rank": lambda shape, random: random.rand(*(shape + (2,))).astype("float32"),
}
for number, name in enumerate(CLASSES):
    for reduction in ["auto", "none", "sum", "sum_over_batch_size"]:
        for kind in sorted(WEIGHTS):
            for shape in [(4, 3), (2, 3, 4)]:
                labels, predictions = pair("random", shape, "Sparse" in name, number)
                weights = WEIGHTS[kind](shape, np.random.RandomState(number))
                loss = getattr(losses, name)(reduction=reduction)
                key = "%s %s, weights %s, %s" % (name, reduction, kind, shape)
                said(key, lambda: loss(tf.constant(labels), tf.constant(predictions), sample_weight=weights))
