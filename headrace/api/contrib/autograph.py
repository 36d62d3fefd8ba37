"""tf.contrib.autograph: tf.autograph, where it was before 1.13."""

HOMES = {
    "autograph": "Feature do_not_convert set_loop_options to_code to_graph",
    "autograph.settings": "set_verbosity trace",
}
