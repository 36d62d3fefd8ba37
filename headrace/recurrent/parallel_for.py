"""`for_loop` and `pfor`: a function of a number called for each one below a bound, its results stacked."""

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
from headrace.ops.array.constant import constant
from headrace.recurrent.functional import map_fn

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import IntLike

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
    found = map_fn(
        lambda i: [convert_to_tensor(value) for value in nest.flatten(loop_fn(i))],
        range_of(iters),
        dtype=dtypes,
        parallel_iterations=parallel_iterations,
    )
    return nest.pack_sequence_as(loop_fn_dtypes, found)


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

    dtypes: Any = [_dtype(kind) for kind in kinds if kind is not None]

    def compute(i: Tensor) -> list[Tensor]:
        return [_packed(value) for value in nest.flatten(loop_fn(i)) if value is not None]

    found = map_fn(compute, range_of(iters), dtypes, parallel_iterations=parallel_iterations) if dtypes else []
    stacked = iter(found)
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
