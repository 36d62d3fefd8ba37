"""tf.contrib.model_pruning: weights that are made zero, the smallest first, while a model trains."""
