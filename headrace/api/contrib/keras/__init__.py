"""tf.contrib.keras: Keras where it was before `tf.keras`."""
