"""tf.examples.tutorials.mnist: what came with the tutorials."""
