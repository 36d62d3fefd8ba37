# Made by tools/make_stubs.py.

__all__ = ['Grid1BasicLSTMCell', 'Grid1BasicRNNCell', 'Grid1LSTMCell', 'Grid2BasicLSTMCell', 'Grid2BasicRNNCell', 'Grid2GRUCell', 'Grid2LSTMCell', 'Grid3LSTMCell', 'GridRNNCell']
from headrace.contrib.grid_rnn.cells import Grid1BasicLSTMCell as Grid1BasicLSTMCell
from headrace.contrib.grid_rnn.cells import Grid1BasicRNNCell as Grid1BasicRNNCell
from headrace.contrib.grid_rnn.cells import Grid1LSTMCell as Grid1LSTMCell
from headrace.contrib.grid_rnn.cells import Grid2BasicLSTMCell as Grid2BasicLSTMCell
from headrace.contrib.grid_rnn.cells import Grid2BasicRNNCell as Grid2BasicRNNCell
from headrace.contrib.grid_rnn.cells import Grid2GRUCell as Grid2GRUCell
from headrace.contrib.grid_rnn.cells import Grid2LSTMCell as Grid2LSTMCell
from headrace.contrib.grid_rnn.cells import Grid3LSTMCell as Grid3LSTMCell
from headrace.contrib.grid_rnn.cells import GridRNNCell as GridRNNCell
