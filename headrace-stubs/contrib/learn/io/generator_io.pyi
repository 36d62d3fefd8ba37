# Made by tools/make_stubs.py.

__all__ = ['generator_input_fn']
from headrace.contrib.learn.input_fns import generator_input_fn as generator_input_fn
