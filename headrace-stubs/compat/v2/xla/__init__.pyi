# Made by tools/make_stubs.py.

__all__ = ['experimental']
from headrace.compat.v2.xla import experimental as experimental
