# Made by tools/make_stubs.py.

__all__ = ['DynamicLossScale', 'FixedLossScale', 'LossScale', 'MixedPrecisionLossScaleOptimizer', 'PythonState', 'disable_mixed_precision_graph_rewrite', 'enable_mixed_precision_graph_rewrite']
from headrace.optimizers.loss_scale import DynamicLossScale as DynamicLossScale
from headrace.optimizers.loss_scale import FixedLossScale as FixedLossScale
from headrace.optimizers.loss_scale import LossScale as LossScale
from headrace.optimizers.loss_scale_optimizer import MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer
from headrace.checkpoints.python_state import PythonState as PythonState
from headrace.optimizers.mixed_precision import disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite
from headrace.optimizers.mixed_precision import enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite
