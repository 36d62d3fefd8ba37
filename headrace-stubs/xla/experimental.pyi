# Made by tools/make_stubs.py.

__all__ = ['compile', 'jit_scope']
from headrace.state.compiled import compile as compile
from headrace.state.compiled import jit_scope as jit_scope
