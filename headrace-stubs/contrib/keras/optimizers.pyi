# Made by tools/make_stubs.py.

__all__ = ['Adadelta', 'Adagrad', 'Adam', 'Adamax', 'Nadam', 'Optimizer', 'RMSprop', 'SGD', 'deserialize', 'get', 'serialize']
from headrace.keras.optimizers.update_rules import Adadelta as Adadelta
from headrace.keras.optimizers.update_rules import Adagrad as Adagrad
from headrace.keras.optimizers.update_rules import Adam as Adam
from headrace.keras.optimizers.update_rules import Adamax as Adamax
from headrace.keras.optimizers.update_rules import Nadam as Nadam
from headrace.keras.optimizers.update_lists import Optimizer as Optimizer
from headrace.keras.optimizers.update_rules import RMSprop as RMSprop
from headrace.keras.optimizers.update_rules import SGD as SGD
from headrace.keras.optimizers import deserialize as deserialize
from headrace.keras.optimizers import get as get
from headrace.keras.optimizers import serialize as serialize
