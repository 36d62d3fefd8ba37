"""tf.compat.v2.xla.experimental: the names that mean the same in 1.x."""

HOMES = {
    "xla.experimental": "compile jit_scope",
}
