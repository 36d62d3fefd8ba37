"""tf.autograph."""

HOMES = {"autograph": "to_code to_graph", "autograph.settings": "set_verbosity trace"}

NESTED = {"experimental": {"autograph": "Feature do_not_convert set_loop_options"}}
