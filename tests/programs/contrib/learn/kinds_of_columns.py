"""Which columns the models of contrib.learn take: those of contrib, of core, of both, a single one, and none."""

import numpy as np
import tensorflow as tf

results = {}
learn = tf.contrib.learn
values = np.linspace(0, 1, 8, dtype=np.float32)[:, None]
labels = (values[:, 0] > 0.4).astype(np.int32)
old = tf.contrib.layers.real_valued_column("a")
new = tf.feature_column.numeric_column("b")
columns = {
    "contrib": [old],
    "core": [new],
    "both": [old, new],
    "one of contrib": old,
    "one of core": new,
    "none": [],
    "nothing": None,
    "no columns": [3],
    "texts": ["a"],
}


def features():
    return {"a": tf.constant(values), "b": tf.constant(1 - values)}, tf.constant(labels)


def rate():
    return tf.train.GradientDescentOptimizer(0.1)


def told(make, kind):
    try:
        model = make(kind)
        model.fit(input_fn=features, steps=2)
    except (ValueError, AssertionError) as error:
        return type(error).__name__
    names = sorted(name for name in model.get_variable_names() if "learning_rate" not in name)
    loss = model.evaluate(input_fn=features, steps=1)["loss"]
    return names, type(model.params.get("feature_columns")).__name__, float(loss)


def without_loss(found):
    return found[:2] if isinstance(found, tuple) else found


for name, kind in columns.items():
    config = learn.RunConfig(tf_random_seed=2)
    results["linear, " + name] = told(lambda c: learn.LinearClassifier(c, optimizer=rate(), config=config), kind)
    results["numbers, " + name] = told(lambda c: learn.LinearRegressor(c, optimizer=rate(), config=config), kind)
    if kind:
        made = told(lambda c: learn.DNNClassifier([2], c, optimizer=rate(), config=config), kind)
        results["network, " + name] = without_loss(made)
