# Made by tools/make_stubs.py.

__all__ = ['BasicLSTMCell', 'BasicRNNCell', 'DeviceWrapper', 'DropoutWrapper', 'EmbeddingWrapper', 'GRUCell', 'InputProjectionWrapper', 'LSTMCell', 'LSTMStateTuple', 'LayerRNNCell', 'MultiRNNCell', 'OutputProjectionWrapper', 'RNNCell', 'ResidualWrapper', '_Linear', '_linear', 'linear']
from headrace.recurrent.lstm_cells import BasicLSTMCell as BasicLSTMCell
from headrace.recurrent.basic_cells import BasicRNNCell as BasicRNNCell
from headrace.recurrent.wrappers import DeviceWrapper as DeviceWrapper
from headrace.recurrent.wrappers import DropoutWrapper as DropoutWrapper
from headrace.recurrent.projections import EmbeddingWrapper as EmbeddingWrapper
from headrace.recurrent.basic_cells import GRUCell as GRUCell
from headrace.recurrent.projections import InputProjectionWrapper as InputProjectionWrapper
from headrace.recurrent.lstm_cells import LSTMCell as LSTMCell
from headrace.recurrent.lstm_cells import LSTMStateTuple as LSTMStateTuple
from headrace.recurrent.cell import LayerRNNCell as LayerRNNCell
from headrace.recurrent.multi_cell import MultiRNNCell as MultiRNNCell
from headrace.recurrent.projections import OutputProjectionWrapper as OutputProjectionWrapper
from headrace.recurrent.cell import RNNCell as RNNCell
from headrace.recurrent.wrappers import ResidualWrapper as ResidualWrapper
from headrace.recurrent.linear import _Linear as _Linear
from headrace.recurrent.linear import _linear as _linear
from headrace.recurrent.linear import linear as linear
