"""tf.compat: strings, shapes and types across Python 2 and 3; `tf.compat.v1` is the root itself,
`tf.compat.v2` what of it means the same in TensorFlow 2."""

HOMES = {
    "core.shapes": "dimension_at_index dimension_value",
    "util.compat": "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types forward_compatibility_horizon "
    "forward_compatible integral_types path_to_str real_types",
}
