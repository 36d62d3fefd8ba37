"""tf.contrib: the tables of its modules."""
