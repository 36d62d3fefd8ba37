"""tf.compat.v2.autograph.experimental: the names that mean the same in 1.x."""

HOMES = {
    "autograph.experimental": "Feature do_not_convert set_loop_options",
}
