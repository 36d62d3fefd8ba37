"""tf.compat.v2.config.optimizer: the names that mean the same in 1.x."""

HOMES = {
    "config.optimizer_options": "get_experimental_options get_jit set_experimental_options set_jit",
}
