"""tf.contrib.layers: initializers and what is built on them."""
