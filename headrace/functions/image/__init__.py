"""Functions of images that are composed of several ops."""
