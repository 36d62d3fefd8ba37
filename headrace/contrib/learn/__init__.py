"""tf.contrib.learn: reading files of examples in the graph."""
