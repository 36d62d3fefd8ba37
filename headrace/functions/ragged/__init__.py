"""Ragged tensors: the class, and the functions that take them."""
