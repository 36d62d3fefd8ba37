"""The optimizers of tf.contrib.opt."""
