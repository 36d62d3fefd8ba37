"""tf.keras.callbacks."""

HOMES: dict[str, str] = {}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {}
