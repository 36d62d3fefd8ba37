"""The functions on tensors that Keras layers are written in."""
