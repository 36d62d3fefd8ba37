"""tf.contrib.image: transforms, warps and splines."""
