"""Weights of losses and metrics: a scalar, or one for each value where every dimension is the value's or 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dims import compatible_dims, is_fully_defined
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond
from headrace.kernels import composing
from headrace.ops.flow.grouping import no_op
from headrace.ops.sparse.sets import set_difference

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_REFUSAL = "weights can not be broadcast to values."


def _described(value: TensorLike | None, default_name: str) -> tuple[Tensor, Tensor, Tensor]:
    """The tensor, its shape and its rank, in a scope of their own."""
    with name_scope(None, default_name, [value]) as scope:
        tensor = convert_to_tensor(value, name=scope)
        return tensor, composing.shape(tensor, name="shape"), composing.rank(tensor, name="rank")


def _dims_fit(weights_shape: Tensor, values_shape: Tensor) -> Tensor:
    """Whether each dimension of the weights is 1 or the value's, both of one rank."""
    with name_scope(None, "has_invalid_dims", [weights_shape, values_shape]) as scope:
        column = composing.expand_dims(values_shape, -1)
        allowed = composing.concat([column, composing.ones_like(column)], 1)
        others = set_difference(composing.expand_dims(weights_shape, -1), allowed)
        return raw.Equal(0, composing.size(others.values, name="num_invalid_dims"), name=scope)


def assert_broadcastable(
    weights: float | Tensor | Sequence[float | Sequence[float]] | None, values: TensorLike
) -> Operation:
    """Asserts that `weights` are a scalar, or have the rank of `values` and dimensions of 1 or the size there.

    Args:
        weights: tensor.
        values: what is weighted.

    Returns:
        an operation to depend on; InvalidArgumentError when run, where shapes are known only then.

    Raises:
        ValueError: if the shapes are known and do not fit.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        weights, weights_shape, weights_rank = _described(weights, "weights")
        values, values_shape, values_rank = _described(values, "values")
        if weights.dims == () and values.dims is not None:
            return no_op("static_scalar_check_success")
        if weights.dims is not None and values.dims is not None:
            if len(weights.dims) != len(values.dims):
                raise ValueError(
                    f"{_REFUSAL} values.rank={len(values.dims)}. weights.rank={len(weights.dims)}."
                    f" values.shape={values.get_shape()}. weights.shape={weights.get_shape()}."
                )
            known_weights, known_values = constant_value(weights_shape), constant_value(values_shape)
            if known_weights is not None and known_values is not None:
                for axis, (size, value_size) in enumerate(zip(known_weights, known_values, strict=True)):
                    if size not in (1, value_size):
                        raise ValueError(
                            f"{_REFUSAL} Mismatch at dim {axis}. values.shape={known_values} "
                            f"weights.shape={known_weights}."
                        )
                return no_op("static_dims_check_success")
        is_scalar = raw.Equal(0, weights_rank, name="is_scalar")
        data = [_REFUSAL, "weights.shape=", weights.name, weights_shape]
        data += ["values.shape=", values.name, values_shape, "is_scalar=", is_scalar]

        def fits() -> Tensor:
            involved = [weights_rank, weights_shape, values_rank, values_shape]
            with name_scope(None, "has_valid_nonscalar_shape", involved) as inner:
                same_rank = raw.Equal(values_rank, weights_rank, name="is_same_rank")
                return cond(same_rank, lambda: _dims_fit(weights_shape, values_shape), lambda: same_rank, name=inner)

        return Assert(cond(is_scalar, lambda: is_scalar, fits, name="is_valid_shape"), data, name=scope)


def broadcast_weights(weights: TensorLike, values: TensorLike) -> Tensor:
    """`weights` repeated to the shape of `values`.

    Args:
        weights: tensor that `assert_broadcastable` accepts.
        values: tensor of the wanted shape and type.

    Returns:
        a tensor of the shape of `values`.

    Raises:
        ValueError: as `assert_broadcastable`.
    """
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        known = is_fully_defined(weights.dims) and is_fully_defined(values.dims)
        if known and compatible_dims(weights.dims, values.dims):
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return raw.Mul(weights, composing.ones_like(values), name=scope)
