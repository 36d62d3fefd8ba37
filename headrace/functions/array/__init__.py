"""Functions of shapes, slices and places that are composed of several ops."""
