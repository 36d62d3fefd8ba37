# Made by tools/make_stubs.py.

__all__ = ['ALL_SERVING_KEY', 'CoreTensorForestEstimator', 'EPSILON', 'KEYS_NAME', 'LOSS_NAME', 'ModelBuilderOutputType', 'MultiForestMultiHeadEstimator', 'TREE_PATHS_PREDICTION_KEY', 'TensorForestEstimator', 'TensorForestLossHook', 'TensorForestRunOpAtEndHook', 'VARIANCE_PREDICTION_KEY', 'get_combined_model_fn', 'get_model_fn']
from headrace.contrib.tensor_forest.random_forest import ALL_SERVING_KEY as ALL_SERVING_KEY
from headrace.contrib.tensor_forest.core_random_forest import CoreTensorForestEstimator as CoreTensorForestEstimator
from headrace.contrib.tensor_forest.random_forest import EPSILON as EPSILON
from headrace.contrib.tensor_forest.random_forest import KEYS_NAME as KEYS_NAME
from headrace.contrib.tensor_forest.random_forest import LOSS_NAME as LOSS_NAME
from headrace.contrib.tensor_forest.random_forest import ModelBuilderOutputType as ModelBuilderOutputType
from headrace.contrib.tensor_forest.random_forest import MultiForestMultiHeadEstimator as MultiForestMultiHeadEstimator
from headrace.contrib.tensor_forest.random_forest import TREE_PATHS_PREDICTION_KEY as TREE_PATHS_PREDICTION_KEY
from headrace.contrib.tensor_forest.random_forest import TensorForestEstimator as TensorForestEstimator
from headrace.contrib.tensor_forest.random_forest import TensorForestLossHook as TensorForestLossHook
from headrace.contrib.tensor_forest.random_forest import TensorForestRunOpAtEndHook as TensorForestRunOpAtEndHook
from headrace.contrib.tensor_forest.random_forest import VARIANCE_PREDICTION_KEY as VARIANCE_PREDICTION_KEY
from headrace.contrib.tensor_forest.random_forest import get_combined_model_fn as get_combined_model_fn
from headrace.contrib.tensor_forest.random_forest import get_model_fn as get_model_fn
