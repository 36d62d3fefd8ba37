"""`tf.flags` (and `tf.app.flags`): command-line flags."""

HOMES: dict[str, str] = {}
EVERY = "app.command_line_flags"
