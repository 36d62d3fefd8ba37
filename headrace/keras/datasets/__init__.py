"""The data sets of Keras."""
