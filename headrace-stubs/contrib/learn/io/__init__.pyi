# Made by tools/make_stubs.py.

__all__ = ['HAS_DASK', 'HAS_PANDAS', 'dask_io', 'data_feeder', 'extract_dask_data', 'extract_dask_labels', 'extract_pandas_data', 'extract_pandas_labels', 'extract_pandas_matrix', 'generator_input_fn', 'generator_io', 'graph_io', 'numpy_input_fn', 'numpy_io', 'pandas_input_fn', 'pandas_io', 'queue_parsed_features', 'read_batch_examples', 'read_batch_features', 'read_batch_record_features', 'read_keyed_batch_examples', 'read_keyed_batch_examples_shared_queue', 'read_keyed_batch_features', 'read_keyed_batch_features_shared_queue']
from headrace.contrib.learn.data_feeder import HAS_DASK as HAS_DASK
from headrace.contrib.learn.pandas_data import HAS_PANDAS as HAS_PANDAS
from headrace.contrib.learn.io import dask_io as dask_io
from headrace.contrib.learn.io import data_feeder as data_feeder
from headrace.contrib.learn.pandas_data import extract_dask_data as extract_dask_data
from headrace.contrib.learn.pandas_data import extract_dask_labels as extract_dask_labels
from headrace.contrib.learn.pandas_data import extract_pandas_data as extract_pandas_data
from headrace.contrib.learn.pandas_data import extract_pandas_labels as extract_pandas_labels
from headrace.contrib.learn.pandas_data import extract_pandas_matrix as extract_pandas_matrix
from headrace.contrib.learn.input_fns import generator_input_fn as generator_input_fn
from headrace.contrib.learn.io import generator_io as generator_io
from headrace.contrib.learn.io import graph_io as graph_io
from headrace.contrib.learn.input_fns import numpy_input_fn as numpy_input_fn
from headrace.contrib.learn.io import numpy_io as numpy_io
from headrace.contrib.learn.input_fns import pandas_input_fn as pandas_input_fn
from headrace.contrib.learn.io import pandas_io as pandas_io
from headrace.contrib.learn.feature_queues import queue_parsed_features as queue_parsed_features
from headrace.contrib.learn.graph_io import read_batch_examples as read_batch_examples
from headrace.contrib.learn.feature_queues import read_batch_features as read_batch_features
from headrace.contrib.learn.feature_queues import read_batch_record_features as read_batch_record_features
from headrace.contrib.learn.graph_io import read_keyed_batch_examples as read_keyed_batch_examples
from headrace.contrib.learn.graph_io import read_keyed_batch_examples_shared_queue as read_keyed_batch_examples_shared_queue
from headrace.contrib.learn.feature_queues import read_keyed_batch_features as read_keyed_batch_features
from headrace.contrib.learn.feature_queues import read_keyed_batch_features_shared_queue as read_keyed_batch_features_shared_queue
