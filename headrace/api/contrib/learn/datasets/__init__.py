"""tf.contrib.learn.datasets: small data sets."""
