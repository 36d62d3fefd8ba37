"""The losses of `tf.contrib.losses`."""
