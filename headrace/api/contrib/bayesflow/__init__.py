"""tf.contrib.bayesflow."""
