"""Loop variables: which shapes they may have in all iterations, and how they go from one iteration to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import errors, nest
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.composite_types import CompositeTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec, TypeSpec, spec_from_value
from headrace.functions.flow.flows import to_flow
from headrace.ops.flow.frames import next_iteration

if TYPE_CHECKING:
    from headrace.functions.ragged.tensor import RaggedTensor


def go_round(merged: Tensor, following: Tensor, enforce_shape: bool = True) -> Tensor:
    """Makes `following` the value of the loop variable `merged` in the next iteration.

    Raises:
        ValueError: if its shape is not one that the loop variable may have.
        InvalidArgumentError: if its type differs, which TensorFlow says when the graph is first run.
    """
    if following.dtype.base_dtype is not merged.dtype.base_dtype:
        raise errors.InvalidArgumentError(
            None,
            following.op,
            f"The loop variable '{_entering_name(merged)}' has type {merged.dtype.base_dtype.name}, and the body returns "
            f"'{following.name}' of type {following.dtype.base_dtype.name} for it; tf.cast it in the body.",
        )
    result = next_iteration(following)
    if enforce_shape:
        _enforce_invariant(merged, result)
    merged.op._update_input(1, result)
    return result


def loop_cond(value: Any) -> Tensor:
    """What a loop's condition returned, as what LoopCond takes."""
    return raw.LoopCond(convert_to_tensor(value), name="LoopCond")


def flat_of(result: Any) -> list[Tensor]:
    """What the body of a loop returned, as flat tensors."""
    return [convert_to_tensor(to_flow(item)) for item in nest.flatten(result, expand_composites=True)]


def _entering_name(merged: Tensor) -> str:
    entered = merged.op.inputs[0].op
    return entered.inputs[0].name if entered.inputs else merged.name


def fits(dims: Dims, invariant: Dims) -> bool:
    """Whether every shape that `dims` allows is one that `invariant` allows."""
    if invariant is None:
        return True
    if dims is None or len(dims) != len(invariant):
        return False
    return all(wanted is None or wanted == size for size, wanted in zip(dims, invariant, strict=True))


def _enforce_invariant(merged: Tensor, following: Tensor) -> None:
    if fits(following.dims, merged.dims):
        return
    entering = TensorShape.from_dims(merged.op.inputs[0].dims)
    after = TensorShape.from_dims(following.dims)
    name = _entering_name(merged)
    raise ValueError(
        f"Input tensor '{name}' enters the loop with shape {entering}, but has shape {after} after one iteration. "
        "To allow the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
        "less-specific shape."
    )


def check_invariant(source: Tensor, dims: Dims) -> None:
    """Raises ValueError if a loop variable enters with a shape that its invariant does not allow."""
    if not fits(source.dims, dims):
        raise ValueError(
            f"The shape invariant specified for {source.name} is not compatible with the initial shape of the loop "
            f"variable. It enters the loop with shape {TensorShape.from_dims(source.dims)}, but the specified shape "
            f"invariant is {TensorShape.from_dims(dims)}."
        )


def invariant_dims(loop_vars: list[Any], invariants: list[Any] | None) -> list[Dims]:
    """The shape that each flat tensor of the loop variables may have in all iterations; that of the variable for None.

    Raises:
        ValueError: for an invariant that is no shape.
        TypeError: for the description of another kind or type of value.
    """
    dims: list[Dims] = []
    for i, variable in enumerate(loop_vars):
        given = None if invariants is None or invariants[i] is None else _shape_of(variable, invariants[i])
        if isinstance(variable, Tensor):
            dims.append(variable.dims if given is None else given.as_dims)
        else:
            dims.extend(_composite_dims(variable, given))
    return dims


def _shape_of(variable: Any, invariant: Any) -> TensorShape:
    """The shape that an invariant, which may be a `TypeSpec`, says."""
    if not isinstance(invariant, TypeSpec):
        if not isinstance(invariant, TensorShape):
            kind = ValueError if isinstance(variable, Tensor) else TypeError
            raise kind(f"`shape_invariants` is a (possibly nested) list of shapes, got {invariant!r} in it.")
        return invariant
    spec = spec_from_value(variable)
    if type(spec) is not type(invariant) or getattr(spec, "dtype", None) != getattr(invariant, "dtype", None):
        raise TypeError(f"The shape invariant {invariant} describes no value such as {variable}.")
    shape = invariant.shape if isinstance(invariant, TensorSpec) else TensorShape(getattr(invariant, "_shape", None))
    if isinstance(variable, SparseTensor):
        return TensorShape([shape.ndims])
    return shape


def _composite_dims(variable: IndexedSlices | SparseTensor | RaggedTensor, given: TensorShape | None) -> list[Dims]:
    """The invariants of the parts of a composite tensor, from the one of the whole."""
    if isinstance(variable, CompositeTensor):
        return variable._part_dims(as_dims(variable.shape if given is None else given))
    parts = nest.flatten(variable, expand_composites=True)
    if given is None:
        if isinstance(variable, IndexedSlices):
            values = variable.values.dims
            dense = [] if variable.dense_shape is None else [variable.dense_shape.dims]
            return [values, None if values is None else values[:1], *dense]
        rank = variable.dense_shape.dims[0] if variable.dense_shape.dims else None
        return [(None, rank), (None,), (rank,)]
    shape = given.as_dims
    if isinstance(variable, IndexedSlices):
        return [
            shape,
            None if shape is None else shape[:1],
            *([(None if shape is None else len(shape),)] * (len(parts) - 2)),
        ]
    # That of a SparseTensor is the shape of its `dense_shape`.
    if shape is None:
        return [(None, None), (None,), (None,)]
    if len(shape) != 1:
        raise ValueError(
            f"Expected a shape with 1 dimension, [rank], as the invariant of a SparseTensor, got {TensorShape.from_dims(shape)}"
        )
    return [(None, shape[0]), (None,), shape]
