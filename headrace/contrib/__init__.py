"""Rebuilt parts of `tf.contrib`."""
