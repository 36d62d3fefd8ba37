# Made by tools/make_stubs.py.

__all__ = ['ARModel', 'ARRegressor', 'CSVReader', 'FilteringResults', 'NumpyReader', 'OneShotPredictionHead', 'RandomWindowInputFn', 'StructuralEnsembleRegressor', 'TimeSeriesRegressor', 'TrainEvalFeatures', 'WholeDatasetInputFn', 'predict_continuation_input_fn', 'saved_model_utils']
from headrace.contrib.timeseries.ar_model import ARModel as ARModel
from headrace.contrib.timeseries.estimators import ARRegressor as ARRegressor
from headrace.contrib.timeseries.readers import CSVReader as CSVReader
from headrace.contrib.timeseries.feature_keys import FilteringResults as FilteringResults
from headrace.contrib.timeseries.readers import NumpyReader as NumpyReader
from headrace.contrib.timeseries.head import OneShotPredictionHead as OneShotPredictionHead
from headrace.contrib.timeseries.input_fns import RandomWindowInputFn as RandomWindowInputFn
from headrace.contrib.timeseries.estimators import StructuralEnsembleRegressor as StructuralEnsembleRegressor
from headrace.contrib.timeseries.estimators import TimeSeriesRegressor as TimeSeriesRegressor
from headrace.contrib.timeseries.feature_keys import TrainEvalFeatures as TrainEvalFeatures
from headrace.contrib.timeseries.input_fns import WholeDatasetInputFn as WholeDatasetInputFn
from headrace.contrib.timeseries.input_fns import predict_continuation_input_fn as predict_continuation_input_fn
from headrace.contrib.timeseries import saved_model_utils as saved_model_utils
