"""tf.contrib.learn: its data sets."""
