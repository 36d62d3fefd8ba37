# Made by tools/make_stubs.py.
from typing import Any

from headrace.sparse import SparseTensor as SparseTensor
add: Any
concat: Any
from headrace.sparse import cross as cross
from headrace.sparse import cross_hashed as cross_hashed
from headrace.sparse import expand_dims as expand_dims
from headrace.sparse import eye as eye
from headrace.sparse import fill_empty_rows as fill_empty_rows
from headrace.sparse import from_dense as from_dense
from headrace.sparse import mask as mask
from headrace.sparse import maximum as maximum
from headrace.sparse import minimum as minimum
from headrace.ops.sparse.reduce import sparse_reduce_max_v2 as reduce_max
from headrace.ops.sparse.reduce import sparse_reduce_sum_v2 as reduce_sum
from headrace.sparse import reorder as reorder
from headrace.sparse import reset_shape as reset_shape
from headrace.sparse import reshape as reshape
from headrace.sparse import retain as retain
segment_mean: Any
segment_sqrt_n: Any
segment_sum: Any
from headrace.sparse import slice as slice
from headrace.sparse import softmax as softmax
from headrace.sparse import sparse_dense_matmul as sparse_dense_matmul
split: Any
from headrace.sparse import to_dense as to_dense
from headrace.sparse import to_indicator as to_indicator
from headrace.sparse import transpose as transpose
