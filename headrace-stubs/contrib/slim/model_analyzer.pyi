# Made by tools/make_stubs.py.

__all__ = ['analyze_ops', 'analyze_vars', 'tensor_description']
from headrace.contrib.slim.model_analyzer import analyze_ops as analyze_ops
from headrace.contrib.slim.model_analyzer import analyze_vars as analyze_vars
from headrace.contrib.slim.model_analyzer import tensor_description as tensor_description
