"""tf.contrib.timeseries: models of series of numbers, and estimators that train them."""
