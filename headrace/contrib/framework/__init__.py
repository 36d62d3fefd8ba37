"""tf.contrib.framework: variables by name, suffix and scope."""
