"""tf.nn: neural network ops."""

HOMES: dict[str, str] = {}

SPELLED: dict[str, str] = {}
