# Made by tools/make_stubs.py.

__all__ = ['ExponentialUpdateLossScaleManager', 'FixedLossScaleManager', 'LossScaleManager', 'LossScaleOptimizer']
from headrace.contrib.mixed_precision import ExponentialUpdateLossScaleManager as ExponentialUpdateLossScaleManager
from headrace.contrib.mixed_precision import FixedLossScaleManager as FixedLossScaleManager
from headrace.contrib.mixed_precision import LossScaleManager as LossScaleManager
from headrace.contrib.mixed_precision import LossScaleOptimizer as LossScaleOptimizer
