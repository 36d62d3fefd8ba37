# Made by tools/make_stubs.py.

__all__ = ['numpy_input_fn']
from headrace.contrib.learn.input_fns import numpy_input_fn as numpy_input_fn
