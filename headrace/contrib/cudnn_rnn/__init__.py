"""tf.contrib.cudnn_rnn: networks of several layers in one op, and the cells that compute the same."""
