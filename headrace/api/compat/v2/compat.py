"""tf.compat.v2.compat: strings, shapes and types across Python 2 and 3, as in 1.x."""

HOMES = {
    "compat": "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types dimension_at_index dimension_value "
    "forward_compatibility_horizon forward_compatible integral_types path_to_str real_types",
}
