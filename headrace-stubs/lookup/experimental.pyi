# Made by tools/make_stubs.py.

from headrace.lookup.mutable_tables import DenseHashTable as DenseHashTable
