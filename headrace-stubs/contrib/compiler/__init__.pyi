# Made by tools/make_stubs.py.

__all__ = ['jit', 'xla']
from headrace.contrib.compiler import jit as jit
from headrace.contrib.compiler import xla as xla
