# Made by tools/make_stubs.py.

__all__ = ['batch_to_space_nd', 'gather_nd', 'reshape', 'reverse', 'roll', 'scatter_nd', 'space_to_batch_nd', 'tile']
from headrace.ops.array.space import batch_to_space_nd as batch_to_space_nd
from headrace.functions.array.gather import gather_nd as gather_nd
from headrace.ops.array.shape import reshape as reshape
from headrace.ops.array.reverse import reverse as reverse
from headrace.ops.array.reverse import roll as roll
from headrace.ops.array.scatter import scatter_nd as scatter_nd
from headrace.ops.array.space import space_to_batch_nd as space_to_batch_nd
from headrace.ops.array.tile import tile as tile
