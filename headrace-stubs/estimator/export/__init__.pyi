# Made by tools/make_stubs.py.

__all__ = ['ClassificationOutput', 'ExportOutput', 'PredictOutput', 'RegressionOutput', 'ServingInputReceiver', 'TensorServingInputReceiver', 'build_parsing_serving_input_receiver_fn', 'build_raw_serving_input_receiver_fn']
from headrace.saved_model.export_output import ClassificationOutput as ClassificationOutput
from headrace.saved_model.export_output import ExportOutput as ExportOutput
from headrace.saved_model.export_output import PredictOutput as PredictOutput
from headrace.saved_model.export_output import RegressionOutput as RegressionOutput
from headrace.estimator.export.export import ServingInputReceiver as ServingInputReceiver
from headrace.estimator.export.export import TensorServingInputReceiver as TensorServingInputReceiver
from headrace.estimator.export.export import build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn
from headrace.estimator.export.export import build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn
