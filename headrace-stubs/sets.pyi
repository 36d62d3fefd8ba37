# Made by tools/make_stubs.py.

__all__ = ['difference', 'intersection', 'set_difference', 'set_intersection', 'set_size', 'set_union', 'size', 'union']
from headrace.ops.sparse.sets import set_difference as difference
from headrace.ops.sparse.sets import set_intersection as intersection
from headrace.ops.sparse.sets import set_difference as set_difference
from headrace.ops.sparse.sets import set_intersection as set_intersection
from headrace.ops.sparse.sets import set_size as set_size
from headrace.ops.sparse.sets import set_union as set_union
from headrace.ops.sparse.sets import set_size as size
from headrace.ops.sparse.sets import set_union as union
