# Made by tools/make_stubs.py.

__all__ = ['data_ops', 'eval_metrics', 'model_ops', 'random_forest', 'stats_ops', 'tensor_forest']
from headrace.contrib.tensor_forest import data_ops as data_ops
from headrace.contrib.tensor_forest import eval_metrics as eval_metrics
from headrace.contrib.tensor_forest import model_ops as model_ops
from headrace.contrib.tensor_forest import random_forest as random_forest
from headrace.contrib.tensor_forest import stats_ops as stats_ops
from headrace.contrib.tensor_forest import tensor_forest as tensor_forest
