"""tf.contrib.tensorboard.plugins."""
