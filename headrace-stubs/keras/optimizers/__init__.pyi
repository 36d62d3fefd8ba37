# Made by tools/make_stubs.py.

__all__ = ['Adadelta', 'Adagrad', 'Adam', 'Adamax', 'Ftrl', 'Nadam', 'Optimizer', 'RMSprop', 'SGD', 'deserialize', 'get', 'schedules', 'serialize']
from headrace.keras.optimizers.adadelta import Adadelta as Adadelta
from headrace.keras.optimizers.adagrad import Adagrad as Adagrad
from headrace.keras.optimizers.adam import Adam as Adam
from headrace.keras.optimizers.adamax import Adamax as Adamax
from headrace.keras.optimizers.ftrl import Ftrl as Ftrl
from headrace.keras.optimizers.nadam import Nadam as Nadam
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2 as Optimizer
from headrace.keras.optimizers.rmsprop import RMSprop as RMSprop
from headrace.keras.optimizers.gradient_descent import SGD as SGD
from headrace.keras.optimizers.serialization import deserialize as deserialize
from headrace.keras.optimizers.serialization import get as get
from headrace.keras.optimizers import schedules as schedules
from headrace.keras.optimizers.serialization import serialize as serialize
