# Made by tools/make_stubs.py.

__all__ = ['L1L2', 'Regularizer', 'deserialize', 'get', 'l1', 'l1_l2', 'l2', 'serialize']
from headrace.keras.regularizers import L1L2 as L1L2
from headrace.keras.regularizers import Regularizer as Regularizer
from headrace.keras.regularizers import deserialize as deserialize
from headrace.keras.regularizers import get as get
from headrace.keras.regularizers import l1 as l1
from headrace.keras.regularizers import l1_l2 as l1_l2
from headrace.keras.regularizers import l2 as l2
from headrace.keras.regularizers import serialize as serialize
