"""tf.keras.activations, initializers, regularizers, constraints: what names stand for, settings, values and errors."""

import numpy as np
import tensorflow as tf

keras = tf.keras
results = {}
rng = np.random.RandomState(0)


def said(function, *args, **keywords):
    try:
        found = function(*args, **keywords)
    except (ValueError, TypeError) as error:
        return [type(error).__name__, [str(part) for part in error.args]]
    if hasattr(found, "get_config"):
        return [type(found).__name__, found.get_config()]
    return getattr(found, "__name__", found)


names = {
    keras.activations: "relu linear softmax exponential tanh elu selu hard_sigmoid sigmoid softplus softsign nope",
    keras.initializers: "zeros Zeros ones constant he_normal glorot_uniform GlorotNormal normal identity uniform Identity "
    "lecun_uniform VarianceScaling orthogonal Orthogonal random_normal RandomUniform truncated_normal HeNormal nope",
    keras.regularizers: "l1 l2 l1_l2 L1L2 nope",
    keras.constraints: "max_norm MaxNorm non_neg NonNeg unit_norm UnitNorm min_max_norm radial_constraint nope",
}
for module, words in names.items():
    kind = module.__name__.rpartition(".")[2]
    results[kind] = [[word, said(module.get, word)] for word in words.split()]
    results[kind + " others"] = [
        said(module.get, 3),
        said(module.get, None),
        said(module.get, len),
        said(module.get, {"class_name": "nope", "config": {}}),
    ]
results["by settings"] = [
    said(keras.initializers.get, {"class_name": "RandomNormal", "config": {"stddev": 3.0}}),
    said(keras.initializers.get, {"class_name": "he_normal", "config": {"seed": 3}}),
    said(keras.regularizers.get, {"class_name": "L1L2", "config": {"l1": 0.5, "l2": 0.0}}),
    said(keras.constraints.get, {"class_name": "MaxNorm", "config": {"max_value": 3}}),
    said(keras.activations.get, {"class_name": "relu", "config": {}}),
]
made = [
    keras.initializers.Constant(3),
    keras.initializers.glorot_normal(seed=3),
    keras.initializers.RandomUniform(seed=1),
    keras.regularizers.l1(0.3),
    keras.regularizers.l1_l2(0.1, 0.2),
    keras.constraints.MaxNorm(axis=[0, 1]),
    keras.constraints.NonNeg(),
    keras.constraints.MinMaxNorm(rate=0.5),
    keras.constraints.RadialConstraint(),
]
results["serialized"] = [
    [keras.utils.serialize_keras_object(m), m.get_config()] for m in made if hasattr(m, "get_config")
]
results["serialized functions"] = [
    keras.activations.serialize(f) for f in (keras.activations.relu, tf.nn.relu, tf.nn.softmax, tf.tanh)
]


def swish(x):
    return x * tf.sigmoid(x)


results["custom"] = [said(keras.activations.get, "swish")]
with keras.utils.custom_object_scope({"swish": swish, "half": lambda: keras.regularizers.l2(0.5)}):
    results["custom"] += [said(keras.activations.get, "swish"), sorted(keras.utils.get_custom_objects())]
    dense = keras.layers.Dense(2, activation="swish")
    results["custom"].append(dense.activation is swish)
results["custom"] += [said(keras.activations.get, "swish"), sorted(keras.utils.get_custom_objects())]
results["custom"].append(said(keras.activations.deserialize, "swish", custom_objects={"swish": swish}))

w = rng.randn(3, 4).astype("float32")
kernels = {3: rng.randn(3, 3, 2, 2), 5: rng.randn(5, 5, 1, 2)}
with tf.Graph().as_default(), tf.Session() as sess:
    results["activated"] = [
        sess.run(getattr(keras.activations, name)(tf.constant(w)))
        for name in [
            "relu",
            "softmax",
            "exponential",
            "tanh",
            "elu",
            "selu",
            "hard_sigmoid",
            "sigmoid",
            "softplus",
            "softsign",
            "linear",
        ]
    ]
    results["activated more"] = sess.run(
        [
            keras.activations.softmax(tf.constant(w)[None], axis=1),
            keras.activations.relu(tf.constant(w), alpha=0.1, max_value=0.5, threshold=0.1),
            keras.activations.elu(tf.constant(w), 0.3),
        ]
    )
    results["penalties"] = sess.run(
        [r(tf.constant(w)) for r in (made[3], made[4], keras.regularizers.l2(), keras.regularizers.L1L2())]
    )
    results["constrained"] = [
        sess.run(c(tf.constant(w)))
        for c in (
            keras.constraints.MaxNorm(1.0),
            keras.constraints.MaxNorm(1.0, axis=1),
            keras.constraints.NonNeg(),
            keras.constraints.UnitNorm(),
            keras.constraints.MinMaxNorm(0.5, 1.0, rate=0.7),
        )
    ]
    results["radial"] = [
        sess.run(keras.constraints.RadialConstraint()(tf.constant(kernels[n].astype("float32"))))
        for n in sorted(kernels)
    ]
    results["radial of a matrix"] = said(keras.constraints.RadialConstraint(), tf.constant(w))
    results["softmax of a vector"] = said(keras.activations.softmax, tf.zeros([3]))[0]
    tf.set_random_seed(1)
    results["drawn"] = [
        sess.run(i((2, 3)))
        for i in (
            keras.initializers.RandomNormal(seed=1),
            keras.initializers.RandomUniform(seed=1),
            keras.initializers.TruncatedNormal(seed=1),
            keras.initializers.he_normal(seed=1),
            keras.initializers.VarianceScaling(seed=1),
            keras.initializers.lecun_uniform(seed=1),
        )
    ]
