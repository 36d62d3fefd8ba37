"""tf.compat.v2.lookup.experimental: the names that mean the same in 1.x."""

HOMES = {
    "lookup.experimental": "DenseHashTable",
}
