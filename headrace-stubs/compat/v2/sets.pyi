# Made by tools/make_stubs.py.

__all__ = ['difference', 'intersection', 'size', 'union']
from headrace.sets import difference as difference
from headrace.sets import intersection as intersection
from headrace.sets import size as size
from headrace.sets import union as union
