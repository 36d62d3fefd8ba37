# Made by tools/make_stubs.py.

__all__ = ['DenseHashTable']
from headrace.lookup.mutable_tables import DenseHashTable as DenseHashTable
