"""tf.compat.v2.sets: the names that mean the same in 1.x."""

HOMES = {
    "sets": "difference intersection size union",
}
