"""tf.contrib.rnn: cells beyond the core ones, cells in one op, and networks of several layers."""
