"""tf.keras: the names directly under it."""

HOMES: dict[str, str] = {}

SPELLED: dict[str, str] = {}
