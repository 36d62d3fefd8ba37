"""What the stand-alone package `keras` (1.2 to 2.3) has otherwise than `tf.keras`: arguments of Keras 1, defaults, old names."""
