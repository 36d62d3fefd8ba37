"""tf.contrib.grid_rnn."""

HOMES: dict[str, str] = {
    "contrib.grid_rnn.cells": "Grid1BasicLSTMCell Grid1BasicRNNCell Grid1LSTMCell Grid2BasicLSTMCell Grid2BasicRNNCell "
    "Grid2GRUCell Grid2LSTMCell Grid3LSTMCell GridRNNCell",
}
