"""`tf.data`: datasets, their transformations, and iterators over them."""
