"""`tf.contrib.slim`: training, evaluation, data and networks over `tf.contrib.layers`."""
