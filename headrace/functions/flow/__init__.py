"""Branches, loops, assertions and arrays of tensors, as programs write them."""
