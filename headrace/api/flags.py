"""`tf.flags` (and `tf.app.flags`): command-line flags."""

HOMES: dict[str, str] = {}
EVERY = "platform.flags"
