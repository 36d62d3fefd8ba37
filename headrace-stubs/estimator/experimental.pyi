# Made by tools/make_stubs.py.

__all__ = ['InMemoryEvaluatorHook', 'KMeans', 'LinearSDCA', 'build_raw_supervised_input_receiver_fn', 'call_logit_fn', 'dnn_logit_fn_builder', 'linear_logit_fn_builder', 'make_early_stopping_hook', 'make_stop_at_checkpoint_step_hook', 'stop_if_higher_hook', 'stop_if_lower_hook', 'stop_if_no_decrease_hook', 'stop_if_no_increase_hook']
from headrace.estimator.hooks.in_memory_evaluator import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from headrace.contrib.factorization.kmeans_core import KMeans as KMeans
from headrace.estimator.canned.sdca import LinearSDCA as LinearSDCA
from headrace.estimator.export.export import build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn
from headrace.estimator.logit_fns import call_logit_fn as call_logit_fn
from headrace.estimator.canned.dnn import dnn_logit_fn_builder as dnn_logit_fn_builder
from headrace.estimator.canned.linear import linear_logit_fn_builder as linear_logit_fn_builder
from headrace.estimator.early_stopping import make_early_stopping_hook as make_early_stopping_hook
from headrace.estimator.hooks.checkpoint_step import make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook
from headrace.estimator.early_stopping import stop_if_higher_hook as stop_if_higher_hook
from headrace.estimator.early_stopping import stop_if_lower_hook as stop_if_lower_hook
from headrace.estimator.early_stopping import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from headrace.estimator.early_stopping import stop_if_no_increase_hook as stop_if_no_increase_hook
