"""Datasets and iterators: the ops behind `tf.data`, and what their variants and resources carry."""
