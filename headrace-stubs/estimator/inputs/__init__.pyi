# Made by tools/make_stubs.py.

__all__ = ['numpy_input_fn', 'pandas_input_fn']
from headrace.estimator.inputs.numpy_io import numpy_input_fn as numpy_input_fn
from headrace.estimator.inputs.pandas_io import pandas_input_fn as pandas_input_fn
