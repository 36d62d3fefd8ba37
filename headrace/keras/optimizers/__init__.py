"""The optimizers of Keras, old and new."""
