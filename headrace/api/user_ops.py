"""tf.user_ops."""

HOMES = {
    "ops.string.fact": "my_fact",
}
