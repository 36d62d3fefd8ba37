"""tf.examples: what came with the tutorials."""
