"""tf.experimental."""

HOMES = {"platform.function_settings": "function_executor_type output_all_intermediates"}
