# Made by tools/make_stubs.py.

__all__ = ['cold_start_filter', 'filter_continuation', 'predict_continuation']
from headrace.contrib.timeseries.saved_model_utils import cold_start_filter as cold_start_filter
from headrace.contrib.timeseries.saved_model_utils import filter_continuation as filter_continuation
from headrace.contrib.timeseries.saved_model_utils import predict_continuation as predict_continuation
