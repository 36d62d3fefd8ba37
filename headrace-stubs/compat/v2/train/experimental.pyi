# Made by tools/make_stubs.py.

__all__ = ['DynamicLossScale', 'FixedLossScale', 'LossScale', 'PythonState', 'disable_mixed_precision_graph_rewrite', 'enable_mixed_precision_graph_rewrite']
from headrace.train.experimental import DynamicLossScale as DynamicLossScale
from headrace.train.experimental import FixedLossScale as FixedLossScale
from headrace.train.experimental import LossScale as LossScale
from headrace.train.experimental import PythonState as PythonState
from headrace.train.experimental import disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite
from headrace.train.experimental import enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite
