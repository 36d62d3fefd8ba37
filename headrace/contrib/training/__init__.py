"""`tf.contrib.training`: training steps and what feeds them."""
