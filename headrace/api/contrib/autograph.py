"""tf.contrib.autograph: tf.autograph with the arguments of TensorFlow 2, where it was before 1.13."""

HOMES = {
    "autograph": "Feature do_not_convert set_loop_options",
    "autograph.decorating": "convert set_element_type stack",
    "autograph.settings": "set_verbosity trace",
    "autograph.staging_errors": "AutoGraphError",
}

SPELLED = {
    "to_code": "api.v2_arguments.autograph__to_code",
    "to_graph": "api.v2_arguments.autograph__to_graph",
}
