"""tf.contrib.tensor_forest: random forests that are grown from streams of examples."""
