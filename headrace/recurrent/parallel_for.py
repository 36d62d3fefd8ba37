"""`for_loop`, `pfor` and `vectorized_map`: a function called for each number below a bound or each row, its results stacked."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import int32, string
from headrace.core.func_graph import FuncGraph
from headrace.core.operation import Operation
from headrace.functions.sparse.serialized import deserialize_many_sparse, serialize_sparse
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.constant import constant
from headrace.recurrent.functional import map_fn

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import IntLike, TensorLike

PFOR_CONFIG_ARG = "pfor_config"


def for_loop(
    loop_fn: Callable[[Tensor], Any], loop_fn_dtypes: Any, iters: IntLike, parallel_iterations: int | None = None
) -> Any:
    """What a function makes of the numbers below a bound, one after the other, put together.

    Args:
        loop_fn: from an int32 scalar to a structure of tensors.
        loop_fn_dtypes: their types, in that structure.
        iters: the bound, an integer or a scalar tensor.
        parallel_iterations: how many may run at the same time; 10 by default.

    Returns:
        a structure as `loop_fn_dtypes`, each tensor with the calls along a first dimension.

    Example:
        >>> for_loop(lambda i: i * i, tf.int32, 4)
    """
    dtypes = nest.flatten(loop_fn_dtypes)
    nothing: set[int] = set()

    def compute(i: Tensor) -> list[Tensor]:
        made = nest.flatten(loop_fn(i))
        if len(made) != len(dtypes):
            raise ValueError(
                f"Number of expected outputs, {len(dtypes)}, does not match the number of actual outputs, {len(made)}, "
                "from loop_fn"
            )
        nothing.update(place for place, value in enumerate(made) if value is None)
        # What is None is given back as None; the loop carries a number in its place.
        return [
            zeros([], dtype) if value is None else convert_to_tensor(value)
            for value, dtype in zip(made, dtypes, strict=True)
        ]

    found = map_fn(compute, range_of(iters), dtype=dtypes, parallel_iterations=parallel_iterations)
    return nest.pack_sequence_as(
        loop_fn_dtypes, [None if place in nothing else value for place, value in enumerate(found)]
    )


def pfor(loop_fn: Callable[..., Any], iters: IntLike, parallel_iterations: int | None = None) -> Any:
    """What a function makes of the numbers below a bound, put together. The calls run one by one.

    Args:
        loop_fn: from an int32 scalar to a structure of tensors, sparse tensors, operations and None.
        iters: the bound, an integer or a scalar tensor.
        parallel_iterations: how many may run at the same time; more than 1.

    Returns:
        a structure as `loop_fn` returns: tensors with the calls along a first dimension, an operation that runs all of
        its place, and None.

    Raises:
        ValueError: if `parallel_iterations` is not more than 1.
        NotImplementedError: if `loop_fn` takes a `pfor_config`, by which calls would see the values of others.

    Example:
        >>> pfor(lambda i: tf.fill([2], i), 3)
    """
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError("parallel_iterations must be None or a positive integer")
    if parallel_iterations == 1:
        raise ValueError("Found parallel_iterations == 1. Use for_loop instead.")
    if PFOR_CONFIG_ARG in inspect.signature(loop_fn).parameters:
        raise NotImplementedError(
            f"pfor: {PFOR_CONFIG_ARG} is not supported, as the calls of loop_fn run one by one. Return the values and "
            "reduce what pfor returns."
        )
    traced = FuncGraph("pfor")
    with traced.as_default():
        structure = loop_fn(traced.add_input(int32, ()))
        kinds = [_kind(value) for value in nest.flatten(structure)]
    return _put_together(loop_fn, range_of(iters), structure, kinds, parallel_iterations=parallel_iterations)


def vectorized_map(fn: Callable[[Any], Any], elems: TensorLike) -> Any:
    """What `fn` makes of each row of tensors, put together. The rows are computed one by one.

    Args:
        fn: from an element, a structure as `elems` is, to a structure of tensors, sparse tensors, operations and None.
        elems: a tensor, or a structure of tensors with the same first dimension.

    Returns:
        a structure as `fn` returns, as `pfor` makes it: tensors with the rows along a first dimension.

    Example:
        >>> tf.vectorized_map(lambda x: tf.reduce_sum(x * x), tf.ones([3, 2]))
    """
    elems = nest.map_structure(convert_to_tensor, elems)
    # What `fn` returns is of the types that it returns for any row.
    traced = FuncGraph("vectorized_map")
    with traced.as_default():
        row = nest.map_structure(
            lambda t: traced.add_input(t.dtype.base_dtype, None if t.dims is None else t.dims[1:]), elems
        )
        structure = fn(row)
        kinds = [_kind(value) for value in nest.flatten(structure)]
    return _put_together(fn, elems, structure, kinds)


def _put_together(call: Callable[[Any], Any], elems: Any, structure: Any, kinds: list[Any], **options: Any) -> Any:
    """What `call` makes of each element, stacked by the kinds of its results."""
    dtypes: Any = [_dtype(kind) for kind in kinds if kind is not None]

    def compute(element: Any) -> list[Tensor]:
        return [_packed(value) for value in nest.flatten(call(element)) if value is not None]

    stacked = iter(map_fn(compute, elems, dtypes, **options) if dtypes else [])
    return nest.pack_sequence_as(
        structure, [None if kind is None else _unpacked(kind, next(stacked)) for kind in kinds]
    )


def _kind(value: Any) -> Any:
    """What must be known of a result to put several together: a type, that of a sparse tensor in a tuple, or what it is."""
    if value is None or isinstance(value, Operation):
        return None if value is None else Operation
    return (value.dtype,) if isinstance(value, SparseTensor) else convert_to_tensor(value).dtype.base_dtype


def _dtype(kind: Any) -> DType:
    if kind is Operation:
        return int32
    return string if isinstance(kind, tuple) else kind


def _packed(value: Any) -> Tensor:
    """A result as a tensor; an operation is one that runs when its number is read."""
    if isinstance(value, Operation):
        with control_dependencies([value]):
            return constant(0)
    return serialize_sparse(value) if isinstance(value, SparseTensor) else convert_to_tensor(value)


def _unpacked(kind: Any, stacked: Tensor) -> Any:
    if kind is Operation:
        return stacked.op
    return deserialize_many_sparse(stacked, kind[0]) if isinstance(kind, tuple) else stacked
