"""tf.autograph."""

HOMES = {"platform.autograph": "set_verbosity trace"}

NESTED = {"experimental": {"platform.autograph": "Feature do_not_convert"}}

ABSENT = {
    "to_graph": "Python's control flow is not converted; use tf.cond, tf.while_loop or tf.map_fn",
    "to_code": "Python's control flow is not converted; use tf.cond, tf.while_loop or tf.map_fn",
}
