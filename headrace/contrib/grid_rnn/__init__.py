"""tf.contrib.grid_rnn: cells that are grids of cells."""
