# Made by tools/make_stubs.py.

__all__ = ['HAS_PANDAS', 'extract_pandas_data', 'extract_pandas_labels', 'extract_pandas_matrix', 'pandas_input_fn']
from headrace.contrib.learn.pandas_data import HAS_PANDAS as HAS_PANDAS
from headrace.contrib.learn.pandas_data import extract_pandas_data as extract_pandas_data
from headrace.contrib.learn.pandas_data import extract_pandas_labels as extract_pandas_labels
from headrace.contrib.learn.pandas_data import extract_pandas_matrix as extract_pandas_matrix
from headrace.contrib.learn.input_fns import pandas_input_fn as pandas_input_fn
