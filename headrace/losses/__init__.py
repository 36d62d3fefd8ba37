"""The losses of `tf.losses`."""
