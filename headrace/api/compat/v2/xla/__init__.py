"""tf.compat.v2.xla."""
