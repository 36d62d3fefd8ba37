"""The small data sets that came with TensorFlow's tutorials."""
