"""Keras models inside of other libraries."""
