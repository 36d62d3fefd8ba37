# Made by tools/make_stubs.py.

__all__ = ['DenseHashTable']
from headrace.lookup.experimental import DenseHashTable as DenseHashTable
