# Made by tools/make_stubs.py.

from headrace.lookup.experimental import DenseHashTable as DenseHashTable
