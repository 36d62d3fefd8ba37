"""What `tf.contrib.eager` has for graphs too."""
