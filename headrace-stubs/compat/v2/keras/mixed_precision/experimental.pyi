# Made by tools/make_stubs.py.

__all__ = ['LossScaleOptimizer', 'Policy', 'global_policy', 'set_policy']
from headrace.keras.mixed_precision.experimental import LossScaleOptimizer as LossScaleOptimizer
from headrace.keras.mixed_precision.experimental import Policy as Policy
from headrace.keras.mixed_precision.experimental import global_policy as global_policy
from headrace.keras.mixed_precision.experimental import set_policy as set_policy
