"""tf.user_ops."""

HOMES = {"ops.user_ops": "my_fact"}
