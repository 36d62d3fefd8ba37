"""The streaming metrics of `tf.metrics`."""
