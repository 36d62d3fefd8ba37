"""tf.compat: strings, shapes and types across Python 2 and 3; `tf.compat.v1` is the root itself."""

HOMES = {
    "core.shapes": "dimension_at_index dimension_value",
}
