"""tf.compat.v2.nest: the names that mean the same in 1.x."""

HOMES = {
    "nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
}
