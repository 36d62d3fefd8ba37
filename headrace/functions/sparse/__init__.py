"""Functions of sparse tensors that are composed of several ops."""
