"""tf.examples.tutorials: what came with the tutorials."""
