# Made by tools/make_stubs.py.

__all__ = ['deserialize', 'elu', 'exponential', 'get', 'hard_sigmoid', 'linear', 'relu', 'selu', 'serialize', 'sigmoid', 'softmax', 'softplus', 'softsign', 'tanh']
from headrace.keras.activations import deserialize as deserialize
from headrace.keras.activations import elu as elu
from headrace.keras.activations import exponential as exponential
from headrace.keras.activations import get as get
from headrace.keras.activations import hard_sigmoid as hard_sigmoid
from headrace.keras.activations import linear as linear
from headrace.keras.activations import relu as relu
from headrace.keras.activations import selu as selu
from headrace.keras.activations import serialize as serialize
from headrace.keras.activations import sigmoid as sigmoid
from headrace.keras.activations import softmax as softmax
from headrace.keras.activations import softplus as softplus
from headrace.keras.activations import softsign as softsign
from headrace.keras.activations import tanh as tanh
