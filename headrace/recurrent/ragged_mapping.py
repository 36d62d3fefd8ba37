"""`map_fn` over ragged tensors: a function applied to each of their rows, whose results may be rows as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims, merge_dims
from headrace.core.dtypes import DType, as_dtype, int64
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.math.cast import cast
from headrace.recurrent.functional import Structure, cached_variables

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


class RaggedTensorType:
    """The type of a ragged tensor that a mapped function makes.

    Args:
        dtype: the type of its values.
        ragged_rank: how many levels of rows it has, with that of the mapping.
        row_splits_dtype: the type of its splits.
    """

    def __init__(self, dtype: DTypeLike, ragged_rank: int, row_splits_dtype: DTypeLike = int64) -> None:
        self.dtype = as_dtype(dtype)
        self.ragged_rank = ragged_rank
        self.row_splits_dtype = as_dtype(row_splits_dtype)


class _Elements:
    """Rows to take one by one.

    Args:
        value: a tensor or ragged tensor.
    """

    def __init__(self, value: Any) -> None:
        self.value = value
        self.is_ragged = isinstance(value, RaggedTensor)
        if not self.is_ragged and value.get_shape().ndims == 0:
            raise ValueError("elems must be a 1+ dimensional Tensor, not a scalar")

    def count(self) -> Any:
        """How many there are, an int32 scalar or a number."""
        if self.is_ragged:
            return cast(self.value.nrows(), "int32")
        known = self.value.get_shape().dims
        size = None if known is None else known[0].value
        return shape(self.value)[0] if size is None else size

    def at(self, i: Tensor) -> Any:
        return self.value[i]


class _Results:
    """What a mapped function returns, collected: dense results, or the values and the row lengths of ragged ones.

    Args:
        kind: a dtype or a `RaggedTensorType`.
        count: how many results there are.
        infer_shape: whether dense results have one shape.
    """

    def __init__(self, kind: Any, count: int | Tensor, infer_shape: bool) -> None:
        self._kind = kind
        self._levels = kind.ragged_rank if isinstance(kind, RaggedTensorType) else 0
        self._dims: Dims = None
        self._seen = False
        dtype: DType = as_dtype(kind.dtype if self._levels or isinstance(kind, RaggedTensorType) else kind)
        self.arrays = [TensorArray(dtype, size=count, dynamic_size=False, infer_shape=infer_shape and not self._levels)]
        for _ in range(self._levels):
            lengths_type = kind.row_splits_dtype
            self.arrays.append(TensorArray(lengths_type, size=count, dynamic_size=False, infer_shape=False))

    def write(self, arrays: list[TensorArray], i: Tensor, made: Tensor | RaggedTensor) -> list[TensorArray]:
        """The arrays once result `i` is in them.

        Raises:
            ValueError: if it has other levels than were declared.
        """
        value = convert_to_tensor_or_ragged_tensor(made)
        levels = value.ragged_rank + 1 if isinstance(value, RaggedTensor) else 1 if self._levels else 0
        if levels != self._levels or (isinstance(self._kind, RaggedTensorType) and not self._levels):
            raise ValueError(f"The declared ragged rank ({self._levels}) mismatches the result ({max(levels, 1)})")
        if not self._levels:
            return [arrays[0].write(i, value)]
        flat, parts = value, []
        if isinstance(value, RaggedTensor):
            flat = value.flat_values
            parts = [value.nrows(), *value.nested_row_lengths()]
        else:
            parts = [shape(value)[0]]
        dims = None if flat.dims is None else (None, *flat.dims[1:])
        self._dims, self._seen = (merge_dims(self._dims, dims) if self._seen else dims), True
        lengths_type = self._kind.row_splits_dtype
        # The outermost lengths are one a result; concatenated like the others they are vectors.
        lengths = [cast(part, lengths_type) for part in parts]
        lengths[0] = lengths[0][None]
        return [array.write(i, part) for array, part in zip(arrays, [flat, *lengths], strict=True)]

    def together(self, arrays: list[TensorArray], length: TensorLike) -> Tensor | RaggedTensor:
        """All results as one tensor or ragged tensor."""
        if not self._levels:
            stacked = arrays[0].stack()
            if stacked.dims is not None:
                stacked.set_shape([length if isinstance(length, int) else None, *stacked.dims[1:]])
            return stacked
        flat = arrays[0].concat()
        flat.set_shape(self._dims)
        lengths = [array.concat() for array in arrays[1:]]
        for part in lengths:
            part.set_shape([None])
        return RaggedTensor.from_nested_row_lengths(flat, lengths, validate=False)


def map_fn(
    fn: Callable[[Any], Any],
    elems: object,
    dtype: DTypeLike | RaggedTensorType | Mapping[str, RaggedTensorType] | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Applies `fn` to each row of tensors and ragged tensors.

    Args:
        fn: takes a row (in the structure of `elems`), returns tensors or ragged tensors in the structure of `dtype`.
        elems: a tensor, a ragged tensor, or a structure of them with as many rows.
        dtype: the dtypes of what `fn` returns, or `RaggedTensorType`s where the results have different lengths or are
            ragged themselves; those of `elems` by default.
        parallel_iterations, back_prop, swap_memory: as in `tf.while_loop`.
        infer_shape: whether all dense results have one shape.
        name: a name scope.

    Returns:
        the results in the structure of `dtype`, dense or ragged as it says.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if an element is a scalar, or a result has other levels of rows than `dtype` says.

    Example:
        >>> sess.run(map_fn(tf.range, tf.constant([2, 0, 1]), dtype=RaggedTensorType(tf.int32, 1))).to_list()
        [[0, 1], [], [0]]
    """
    if not callable(fn):
        raise TypeError("fn must be callable.")
    inputs = Structure(elems)
    with name_scope(name, "map", inputs.flatten(elems)), cached_variables():
        sources = [_Elements(convert_to_tensor_or_ragged_tensor(item, name="elem")) for item in inputs.flatten(elems)]
        dtype = inputs.pack([source.value.dtype for source in sources]) if dtype is None else dtype
        outputs = Structure(dtype)
        count = sources[0].count()
        results = [_Results(kind, count, infer_shape) for kind in outputs.flatten(dtype)]

        def compute(i: Tensor, arrays: list[list[TensorArray]]) -> tuple[Tensor, list[list[TensorArray]]]:
            made = outputs.flatten(fn(inputs.pack([source.at(i) for source in sources])))
            written = [result.write(held, i, value) for result, held, value in zip(results, arrays, made, strict=True)]
            return i + 1, written

        limit = convert_to_tensor(count)
        _, final = while_loop(
            lambda i, _: i < limit,
            compute,
            (constant(0), [result.arrays for result in results]),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=limit,
        )
        return outputs.pack([result.together(held, count) for result, held in zip(results, final, strict=True)])
