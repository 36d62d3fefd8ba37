# Made by tools/make_stubs.py.

from headrace.contrib.grid_rnn.cells import Grid1BasicLSTMCell as Grid1BasicLSTMCell
from headrace.contrib.grid_rnn.cells import Grid1BasicRNNCell as Grid1BasicRNNCell
from headrace.contrib.grid_rnn.cells import Grid1LSTMCell as Grid1LSTMCell
from headrace.contrib.grid_rnn.cells import Grid2BasicLSTMCell as Grid2BasicLSTMCell
from headrace.contrib.grid_rnn.cells import Grid2BasicRNNCell as Grid2BasicRNNCell
from headrace.contrib.grid_rnn.cells import Grid2GRUCell as Grid2GRUCell
from headrace.contrib.grid_rnn.cells import Grid2LSTMCell as Grid2LSTMCell
from headrace.contrib.grid_rnn.cells import Grid3LSTMCell as Grid3LSTMCell
from headrace.contrib.grid_rnn.cells import GridRNNCell as GridRNNCell
