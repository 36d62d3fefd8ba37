"""tf.contrib.estimator: estimators that are extended, copied and exported."""
