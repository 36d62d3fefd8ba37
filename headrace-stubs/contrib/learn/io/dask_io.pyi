# Made by tools/make_stubs.py.

__all__ = ['HAS_DASK', 'extract_dask_data', 'extract_dask_labels']
from headrace.contrib.learn.data_feeder import HAS_DASK as HAS_DASK
from headrace.contrib.learn.pandas_data import extract_dask_data as extract_dask_data
from headrace.contrib.learn.pandas_data import extract_dask_labels as extract_dask_labels
