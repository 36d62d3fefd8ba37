# Made by tools/make_stubs.py.

__all__ = ['DNNClassifierWithLayerAnnotations', 'DNNRegressorWithLayerAnnotations', 'InMemoryEvaluatorHook', 'RNNClassifier', 'RNNEstimator', 'SavedModelEstimator', 'TowerOptimizer', 'add_metrics', 'binary_classification_head', 'boosted_trees_classifier_train_in_memory', 'boosted_trees_regressor_train_in_memory', 'build_raw_supervised_input_receiver_fn', 'build_supervised_input_receiver_fn_from_input_fn', 'call_logit_fn', 'clip_gradients_by_norm', 'dnn_logit_fn_builder', 'export_all_saved_models', 'export_saved_model_for_mode', 'forward_features', 'linear_logit_fn_builder', 'logistic_regression_head', 'make_early_stopping_hook', 'make_stop_at_checkpoint_step_hook', 'multi_class_head', 'multi_head', 'multi_label_head', 'poisson_regression_head', 'read_eval_metrics', 'regression_head', 'replicate_model_fn', 'stop_if_higher_hook', 'stop_if_lower_hook', 'stop_if_no_decrease_hook', 'stop_if_no_increase_hook']
from headrace.contrib.estimator.annotated import DNNClassifierWithLayerAnnotations as DNNClassifierWithLayerAnnotations
from headrace.contrib.estimator.annotated import DNNRegressorWithLayerAnnotations as DNNRegressorWithLayerAnnotations
from headrace.estimator.hooks.in_memory_evaluator import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from headrace.contrib.estimator.rnn import RNNClassifier as RNNClassifier
from headrace.contrib.estimator.rnn import RNNEstimator as RNNEstimator
from headrace.contrib.estimator.saved_model_estimator import SavedModelEstimator as SavedModelEstimator
from headrace.contrib.estimator.tower_optimizer import TowerOptimizer as TowerOptimizer
from headrace.estimator.extenders import add_metrics as add_metrics
from headrace.contrib.estimator.heads import binary_classification_head as binary_classification_head
from headrace.contrib.estimator.boosted_trees import boosted_trees_classifier_train_in_memory as boosted_trees_classifier_train_in_memory
from headrace.contrib.estimator.boosted_trees import boosted_trees_regressor_train_in_memory as boosted_trees_regressor_train_in_memory
from headrace.estimator.export.export import build_raw_supervised_input_receiver_fn as build_raw_supervised_input_receiver_fn
from headrace.contrib.estimator.export import build_supervised_input_receiver_fn_from_input_fn as build_supervised_input_receiver_fn_from_input_fn
from headrace.estimator.logit_fns import call_logit_fn as call_logit_fn
from headrace.contrib.estimator.extenders import clip_gradients_by_norm as clip_gradients_by_norm
from headrace.estimator.canned.dnn import dnn_logit_fn_builder as dnn_logit_fn_builder
from headrace.contrib.estimator.export import export_all_saved_models as export_all_saved_models
from headrace.contrib.estimator.export import export_saved_model_for_mode as export_saved_model_for_mode
from headrace.contrib.estimator.extenders import forward_features as forward_features
from headrace.estimator.canned.linear import linear_logit_fn_builder as linear_logit_fn_builder
from headrace.contrib.estimator.heads import logistic_regression_head as logistic_regression_head
from headrace.estimator.early_stopping import make_early_stopping_hook as make_early_stopping_hook
from headrace.estimator.hooks.checkpoint_step import make_stop_at_checkpoint_step_hook as make_stop_at_checkpoint_step_hook
from headrace.contrib.estimator.heads import multi_class_head as multi_class_head
from headrace.contrib.estimator.multi_head import multi_head as multi_head
from headrace.contrib.estimator.heads import multi_label_head as multi_label_head
from headrace.contrib.estimator.heads import poisson_regression_head as poisson_regression_head
from headrace.estimator.early_stopping import read_eval_metrics as read_eval_metrics
from headrace.contrib.estimator.heads import regression_head as regression_head
from headrace.contrib.estimator.replicate_model_fn import replicate_model_fn as replicate_model_fn
from headrace.estimator.early_stopping import stop_if_higher_hook as stop_if_higher_hook
from headrace.estimator.early_stopping import stop_if_lower_hook as stop_if_lower_hook
from headrace.estimator.early_stopping import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from headrace.estimator.early_stopping import stop_if_no_increase_hook as stop_if_no_increase_hook
