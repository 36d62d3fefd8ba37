"""tf.contrib.learn: reading files of examples in the graph, texts and categories as ids."""
