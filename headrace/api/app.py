"""`tf.app`: running a program."""

HOMES = {
    "app.running": "run",
}

SPELLED: dict[str, str] = {
    "flags": "app.command_line_flags",
}
