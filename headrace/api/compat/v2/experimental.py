"""tf.compat.v2.experimental: how functions are run, as in 1.x."""

HOMES = {"experimental": "function_executor_type"}
