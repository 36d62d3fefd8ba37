# Made by tools/make_stubs.py.

__all__ = ['compile']
from headrace.state.compiled import compile as compile
