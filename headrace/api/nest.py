"""tf.nest: nested structures and their leaves."""

HOMES = {
    "core.nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
}
