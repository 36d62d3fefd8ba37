"""tf.compat.v2.autograph: the names that mean the same in 1.x."""

HOMES = {
    "autograph": "set_verbosity trace",
}

SPELLED = {
    "to_code": "api.v2_arguments.autograph__to_code",
    "to_graph": "api.v2_arguments.autograph__to_graph",
}
