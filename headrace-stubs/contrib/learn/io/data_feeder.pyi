# Made by tools/make_stubs.py.

__all__ = ['DataFeeder', 'HAS_DASK', 'HAS_PANDAS', 'StreamingDataFeeder', 'check_array', 'setup_predict_data_feeder', 'setup_processor_data_feeder', 'setup_train_data_feeder']
from headrace.contrib.learn.data_feeder import DataFeeder as DataFeeder
from headrace.contrib.learn.data_feeder import HAS_DASK as HAS_DASK
from headrace.contrib.learn.pandas_data import HAS_PANDAS as HAS_PANDAS
from headrace.contrib.learn.data_feeder import StreamingDataFeeder as StreamingDataFeeder
from headrace.contrib.learn.data_feeder import check_array as check_array
from headrace.contrib.learn.data_feeder import setup_predict_data_feeder as setup_predict_data_feeder
from headrace.contrib.learn.data_feeder import setup_processor_data_feeder as setup_processor_data_feeder
from headrace.contrib.learn.data_feeder import setup_train_data_feeder as setup_train_data_feeder
