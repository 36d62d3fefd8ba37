"""tf.contrib.keras.wrappers, as it was before `tf.keras`."""

NESTED = {
    "scikit_learn": {"keras.wrappers.scikit_learn": "KerasClassifier KerasRegressor"},
}
