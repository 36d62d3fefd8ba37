# Made by tools/make_stubs.py.

__all__ = ['ExponentialDecay', 'InverseTimeDecay', 'LearningRateSchedule', 'PiecewiseConstantDecay', 'PolynomialDecay', 'deserialize', 'serialize']
from headrace.keras.optimizers.learning_rate_schedule import ExponentialDecay as ExponentialDecay
from headrace.keras.optimizers.learning_rate_schedule import InverseTimeDecay as InverseTimeDecay
from headrace.keras.optimizers.learning_rate_schedule import LearningRateSchedule as LearningRateSchedule
from headrace.keras.optimizers.learning_rate_schedule import PiecewiseConstantDecay as PiecewiseConstantDecay
from headrace.keras.optimizers.learning_rate_schedule import PolynomialDecay as PolynomialDecay
from headrace.keras.optimizers.learning_rate_schedule import deserialize as deserialize
from headrace.keras.optimizers.learning_rate_schedule import serialize as serialize
