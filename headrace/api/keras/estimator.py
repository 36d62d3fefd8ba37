"""tf.keras.estimator."""

HOMES: dict[str, str] = {}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {}
