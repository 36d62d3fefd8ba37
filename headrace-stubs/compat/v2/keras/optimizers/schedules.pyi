# Made by tools/make_stubs.py.

__all__ = ['ExponentialDecay', 'InverseTimeDecay', 'LearningRateSchedule', 'PiecewiseConstantDecay', 'PolynomialDecay', 'deserialize', 'serialize']
from headrace.keras.optimizers.schedules import ExponentialDecay as ExponentialDecay
from headrace.keras.optimizers.schedules import InverseTimeDecay as InverseTimeDecay
from headrace.keras.optimizers.schedules import LearningRateSchedule as LearningRateSchedule
from headrace.keras.optimizers.schedules import PiecewiseConstantDecay as PiecewiseConstantDecay
from headrace.keras.optimizers.schedules import PolynomialDecay as PolynomialDecay
from headrace.keras.optimizers.schedules import deserialize as deserialize
from headrace.keras.optimizers.schedules import serialize as serialize
