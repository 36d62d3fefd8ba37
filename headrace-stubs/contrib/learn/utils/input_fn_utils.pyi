# Made by tools/make_stubs.py.

__all__ = ['InputFnOps', 'build_default_serving_input_fn', 'build_parsing_serving_input_fn']
from headrace.contrib.learn.serving_inputs import InputFnOps as InputFnOps
from headrace.contrib.learn.serving_inputs import build_default_serving_input_fn as build_default_serving_input_fn
from headrace.contrib.learn.serving_inputs import build_parsing_serving_input_fn as build_parsing_serving_input_fn
