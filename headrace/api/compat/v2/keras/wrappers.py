"""tf.compat.v2.keras.wrappers: the names that mean the same in 1.x."""

NESTED = {
    "scikit_learn": {"keras.wrappers.scikit_learn": "KerasClassifier KerasRegressor"},
}
