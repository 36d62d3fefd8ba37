# Made by tools/make_stubs.py.

__all__ = ['InMemoryEvaluatorHook', 'LinearSDCA', 'RNNClassifier', 'RNNEstimator', 'build_raw_supervised_input_receiver_fn', 'call_logit_fn', 'make_early_stopping_hook', 'make_stop_at_checkpoint_step_hook', 'stop_if_higher_hook', 'stop_if_lower_hook', 'stop_if_no_decrease_hook', 'stop_if_no_increase_hook']
from headrace.estimator.experimental import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from headrace.estimator.experimental import LinearSDCA as LinearSDCA
from headrace.estimator.canned.rnn import RNNClassifier as RNNClassifier
from headrace.estimator.canned.rnn import RNNEstimator as RNNEstimator
from headrace.estimator.experimental import build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn
from headrace.estimator.experimental import call_logit_fn as call_logit_fn
from headrace.estimator.experimental import make_early_stopping_hook as make_early_stopping_hook
from headrace.estimator.experimental import make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook
from headrace.estimator.experimental import stop_if_higher_hook as stop_if_higher_hook
from headrace.estimator.experimental import stop_if_lower_hook as stop_if_lower_hook
from headrace.estimator.experimental import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from headrace.estimator.experimental import stop_if_no_increase_hook as stop_if_no_increase_hook
