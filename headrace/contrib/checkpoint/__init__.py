"""Parts of tf.contrib.checkpoint: dependencies that are found or divided otherwise than by attributes."""
