"""tf.compat.v2.keras: the names that mean the same in 1.x."""

HOMES = {
    "keras": "Input Model Sequential",
}
