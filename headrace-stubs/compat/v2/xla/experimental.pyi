# Made by tools/make_stubs.py.

__all__ = ['compile', 'jit_scope']
from headrace.xla.experimental import compile as compile
from headrace.xla.experimental import jit_scope as jit_scope
