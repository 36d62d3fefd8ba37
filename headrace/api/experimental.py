"""tf.experimental."""

HOMES = {"config.function_options": "function_executor_type output_all_intermediates"}
