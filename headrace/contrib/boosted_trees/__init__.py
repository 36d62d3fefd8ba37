"""tf.contrib.boosted_trees: gradient boosted trees, a layer at a time over batches."""
