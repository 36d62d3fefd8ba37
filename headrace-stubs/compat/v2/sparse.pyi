# Made by tools/make_stubs.py.
from typing import Any

from headrace.core.tensor import Tensor
from headrace.core.composite import SparseTensor
__all__ = ['SparseTensor', 'add', 'concat', 'cross', 'cross_hashed', 'expand_dims', 'eye', 'fill_empty_rows', 'from_dense', 'mask', 'maximum', 'minimum', 'reduce_max', 'reduce_sum', 'reorder', 'reset_shape', 'reshape', 'retain', 'segment_mean', 'segment_sqrt_n', 'segment_sum', 'slice', 'softmax', 'sparse_dense_matmul', 'split', 'to_dense', 'to_indicator', 'transpose']
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
def reduce_max(sp_input: SparseTensor, axis: int | None = ..., keepdims: bool | None = ..., output_is_sparse: bool = ..., name: str | None = ...) -> Tensor:
    """As `sparse_reduce_max`, or, if `output_is_sparse`, as `sparse_reduce_max_sparse`.
    """
def reduce_sum(sp_input: SparseTensor, axis: int | None = ..., keepdims: bool | None = ..., output_is_sparse: bool = ..., name: str | None = ...) -> Tensor:
    """As `sparse_reduce_sum`, or, if `output_is_sparse`, as `sparse_reduce_sum_sparse`.
    """
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
