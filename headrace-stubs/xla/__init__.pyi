# Made by tools/make_stubs.py.

__all__ = ['experimental']
from headrace.xla import experimental as experimental
