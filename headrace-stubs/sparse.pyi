# Made by tools/make_stubs.py.

__all__ = ['SparseConditionalAccumulator', 'SparseTensor', 'add', 'concat', 'cross', 'cross_hashed', 'expand_dims', 'eye', 'fill_empty_rows', 'from_dense', 'mask', 'matmul', 'maximum', 'merge', 'minimum', 'placeholder', 'reduce_max', 'reduce_max_sparse', 'reduce_sum', 'reduce_sum_sparse', 'reorder', 'reset_shape', 'reshape', 'retain', 'segment_mean', 'segment_sqrt_n', 'segment_sum', 'slice', 'softmax', 'sparse_dense_matmul', 'split', 'to_dense', 'to_indicator', 'transpose']
from headrace.functions.queues.accumulating import SparseConditionalAccumulator as SparseConditionalAccumulator
from headrace.core.composite import SparseTensor as SparseTensor
from headrace.ops.sparse.add import sparse_add as add
from headrace.functions.sparse.join import sparse_concat as concat
from headrace.ops.sparse.cross import sparse_cross as cross
from headrace.ops.sparse.cross import sparse_cross_hashed as cross_hashed
from headrace.functions.sparse.layout import sparse_expand_dims as expand_dims
from headrace.functions.sparse.building import sparse_eye as eye
from headrace.ops.sparse.rows import sparse_fill_empty_rows as fill_empty_rows
from headrace.functions.sparse.building import from_dense as from_dense
from headrace.functions.sparse.building import sparse_mask as mask
from headrace.ops.sparse.matmul import sparse_tensor_dense_matmul as matmul
from headrace.ops.sparse.cwise import sparse_maximum as maximum
from headrace.functions.sparse.building import sparse_merge as merge
from headrace.ops.sparse.cwise import sparse_minimum as minimum
from headrace.functions.sparse.building import sparse_placeholder as placeholder
from headrace import sparse_reduce_max as reduce_max
from headrace.ops.sparse.reduce import sparse_reduce_max_sparse as reduce_max_sparse
from headrace import sparse_reduce_sum as reduce_sum
from headrace.ops.sparse.reduce import sparse_reduce_sum_sparse as reduce_sum_sparse
from headrace.ops.sparse.reshape import sparse_reorder as reorder
from headrace.functions.sparse.layout import sparse_reset_shape as reset_shape
from headrace.ops.sparse.reshape import sparse_reshape as reshape
from headrace.functions.sparse.layout import sparse_retain as retain
from headrace import sparse_segment_mean as segment_mean
from headrace import sparse_segment_sqrt_n as segment_sqrt_n
from headrace import sparse_segment_sum as segment_sum
from headrace.ops.sparse.slice import sparse_slice as slice
from headrace.ops.sparse.cwise import sparse_softmax as softmax
from headrace.ops.sparse.matmul import sparse_tensor_dense_matmul as sparse_dense_matmul
from headrace.ops.sparse.slice import sparse_split as split
from headrace.functions.sparse.building import sparse_tensor_to_dense as to_dense
from headrace.functions.sparse.building import sparse_to_indicator as to_indicator
from headrace.functions.sparse.layout import sparse_transpose as transpose
