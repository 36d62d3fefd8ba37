"""tf.contrib.distributions: more distributions, and bijectors."""
