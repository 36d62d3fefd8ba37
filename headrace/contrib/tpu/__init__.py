"""What `tf.contrib.tpu` has besides estimators."""
