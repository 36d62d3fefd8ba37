"""`tf.app`: running a program."""

HOMES = {
    "platform.app": "run",
}

SPELLED: dict[str, str] = {
    "flags": "platform.flags",
}
