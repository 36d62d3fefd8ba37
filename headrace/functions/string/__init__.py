"""Functions of strings that are composed of several ops."""
