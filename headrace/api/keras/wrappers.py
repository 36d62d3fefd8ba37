"""tf.keras.wrappers."""

HOMES: dict[str, str] = {}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {
    "scikit_learn": {"keras.wrappers.scikit_learn": "KerasClassifier KerasRegressor"},
}
