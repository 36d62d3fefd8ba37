"""The layers of Keras."""
