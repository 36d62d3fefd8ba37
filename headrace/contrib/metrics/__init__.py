"""The metrics of `tf.contrib.metrics`."""
