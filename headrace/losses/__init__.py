"""The losses of `tf.losses`, and those of `tf.contrib.losses` that learn distances and clusters."""
