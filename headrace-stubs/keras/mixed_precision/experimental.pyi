# Made by tools/make_stubs.py.

__all__ = ['LossScaleOptimizer', 'Policy', 'global_policy', 'set_policy']
from headrace.keras.mixed_precision.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer
from headrace.keras.mixed_precision.policy import Policy as Policy
from headrace.keras.mixed_precision.policy import global_policy as global_policy
from headrace.keras.mixed_precision.policy import set_policy as set_policy
