"""tf.contrib.quantize: graphs rewritten for training and inference with simulated quantisation."""
