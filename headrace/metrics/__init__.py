"""The streaming metrics of `tf.metrics` and `tf.contrib.metrics`: values that grow with each batch."""
