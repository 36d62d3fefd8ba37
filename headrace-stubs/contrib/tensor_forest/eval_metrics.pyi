# Made by tools/make_stubs.py.

__all__ = ['FEATURE_IMPORTANCE_NAME', 'INFERENCE_PRED_NAME', 'INFERENCE_PROB_NAME', 'get_metric', 'get_prediction_key']
from headrace.contrib.tensor_forest.eval_metrics import FEATURE_IMPORTANCE_NAME as FEATURE_IMPORTANCE_NAME
from headrace.contrib.tensor_forest.eval_metrics import INFERENCE_PRED_NAME as INFERENCE_PRED_NAME
from headrace.contrib.tensor_forest.eval_metrics import INFERENCE_PROB_NAME as INFERENCE_PROB_NAME
from headrace.contrib.tensor_forest.eval_metrics import get_metric as get_metric
from headrace.contrib.tensor_forest.eval_metrics import get_prediction_key as get_prediction_key
