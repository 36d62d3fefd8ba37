"""Strings: arrays of bytes, which the kernels see as NumPy object arrays."""
