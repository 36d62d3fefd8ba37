"""tf.compat.v2.io.gfile: the names that mean the same in 1.x."""

HOMES = {
    "io.gfile": "GFile copy exists glob isdir listdir makedirs mkdir remove rename rmtree stat walk",
}
