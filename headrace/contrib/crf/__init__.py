"""Conditional random fields, `tf.contrib.crf`."""
