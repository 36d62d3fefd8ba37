"""Scales of distributions over vectors as linear operators, made of diagonals and triangles, and the shapes they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.base import FULLY_REPARAMETERIZED, Distribution
from headrace.distributions.static_logic import prefer_static_broadcast_shape, value_of
from headrace.functions.flow.checks import assert_equal, assert_none_equal, assert_positive
from headrace.functions.linalg.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.linalg.simple import LinearOperatorDiag, LinearOperatorLowerTriangular
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape
from headrace.ops.flow.grouping import with_dependencies

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


def _tensor(value: TensorLike | None, name: str) -> Tensor | None:
    return None if value is None else convert_to_tensor(value, name=name)


def _checked(value: Tensor, diagonal: Callable[..., Any], validate_args: bool, positive: bool) -> Tensor:
    """`value`, checked to have a positive diagonal, or one without zeros; `diagonal` makes it."""
    if not validate_args:
        return value
    if positive:
        check = assert_positive(diagonal(), message="diagonal part must be positive")
    else:
        message = "diagonal part must be non-zero"
        check = assert_none_equal(diagonal(), composing.zeros([], value.dtype), message=message)
    return with_dependencies([check], value)


def make_tril_scale(
    loc: TensorLike | None = None,
    scale_tril: TensorLike | None = None,
    scale_diag: TensorLike | None = None,
    scale_identity_multiplier: TensorLike | None = None,
    shape_hint: int | None = None,
    validate_args: bool = False,
    assert_positive: bool = False,
    name: str | None = None,
) -> LinearOperator:
    """The operator of a lower triangle plus a diagonal plus a multiple of the identity.

    Args:
        loc: what the scale goes with, whose last dimension tells the size where nothing else does.
        scale_tril: floating tensor of shape [..., k, k], of which the upper triangle is not looked at.
        scale_diag: floating tensor of shape [..., k].
        scale_identity_multiplier: floating tensor of shape [...].
        shape_hint: the size, for where neither `loc` nor a part tells it.
        validate_args: whether to check the diagonal when the graph runs.
        assert_positive: whether it must be positive, not only without zeros.
        name: a name for the operations.

    Returns:
        A LinearOperatorLowerTriangular; without a triangle, what `make_diag_scale` makes.
    """
    with name_scope(name, "make_tril_scale", values=[loc, scale_diag, scale_identity_multiplier]):
        loc, tril = _tensor(loc, "loc"), _tensor(scale_tril, "scale_tril")
        diag = _tensor(scale_diag, "scale_diag")
        multiplier = _tensor(scale_identity_multiplier, "scale_identity_multiplier")
    if tril is None:
        return make_diag_scale(loc, diag, multiplier, shape_hint, validate_args, assert_positive, name)
    tril = raw.MatrixBandPart(tril, -1, 0)
    diagonal = raw.MatrixDiagPart(tril, name="diag_part")
    if diag is not None:
        diagonal += diag
    if multiplier is not None:
        diagonal += multiplier[..., None]
    tril = raw.MatrixSetDiag(tril, diagonal, name="set_diag")
    tril = _checked(tril, lambda: raw.MatrixDiagPart(tril, name="diag_part"), validate_args, assert_positive)
    return LinearOperatorLowerTriangular(
        tril, is_non_singular=True, is_self_adjoint=False, is_positive_definite=assert_positive
    )


def make_diag_scale(
    loc: Any = None,
    scale_diag: TensorLike | None = None,
    scale_identity_multiplier: TensorLike | None = None,
    shape_hint: Any = None,
    validate_args: bool = False,
    assert_positive: bool = False,
    name: str | None = None,
) -> LinearOperator:
    """The operator of a diagonal plus a multiple of the identity. Arguments as for `make_tril_scale`.

    Returns:
        A LinearOperatorDiag, LinearOperatorScaledIdentity or LinearOperatorIdentity.

    Raises:
        ValueError: if nothing tells the size.
    """
    hints: dict[str, Any] = {"is_non_singular": True, "is_self_adjoint": True, "is_positive_definite": assert_positive}
    with name_scope(name, "make_diag_scale", values=[loc, scale_diag, scale_identity_multiplier]):
        loc, diag = _tensor(loc, "loc"), _tensor(scale_diag, "scale_diag")
        multiplier = _tensor(scale_identity_multiplier, "scale_identity_multiplier")
        if diag is not None:
            if multiplier is not None:
                diag += multiplier[..., None]
            return LinearOperatorDiag(_checked(diag, lambda: diag, validate_args, assert_positive), **hints)
        if loc is None and shape_hint is None:
            raise ValueError("Cannot infer `event_shape` unless `loc` or `shape_hint` is specified.")
        size = shape_hint
        if size is None:
            size = loc.dims[-1] if loc.dims is not None else None
            size = shape_internal(loc)[-1] if size is None else size
        if multiplier is None:
            return LinearOperatorIdentity(size, dtype=loc.dtype.base_dtype, assert_proper_shapes=validate_args)
        multiplier = _checked(multiplier, lambda: multiplier, validate_args, assert_positive)
        return LinearOperatorScaledIdentity(size, multiplier, assert_proper_shapes=validate_args, **hints)


def is_diagonal_scale(scale: LinearOperator) -> bool:
    """Whether an operator is a diagonal one or a multiple of the identity.

    Raises:
        TypeError: if it is no operator.
    """
    if not isinstance(scale, LinearOperator):
        raise TypeError(f"Expected argument 'scale' to be instance of LinearOperator. Found: {scale}")
    return isinstance(scale, (LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorScaledIdentity))


def shapes_from_loc_and_scale(
    loc: Tensor | None, scale: LinearOperator, name: str = "shapes_from_loc_and_scale"
) -> tuple[Any, Any]:
    """Batch and event shape of `loc` and `scale` together, known or as tensors.

    Raises:
        ValueError: if the two are known to be of different sizes.
    """
    with name_scope(name, values=[loc, *scale.graph_parents]):
        size = scale.range_dimension_tensor()
        known = constant_value(size)
        event: Tensor | np.ndarray = size[None] if known is None else known.reshape([1])
        if loc is not None and known is not None:
            last = loc.dims[-1] if loc.dims else None
            if last not in (None, 1, known):
                raise ValueError(
                    f"Event size of 'scale' ({known}) could not be broadcast up to that of 'loc' ({last})."
                )
        batch = scale.batch_shape_tensor()
        if loc is None:
            static = constant_value(batch)
            return (batch if static is None else static), event
        outer = loc.get_shape().with_rank_at_least(1)[:-1]
        if loc.get_shape().ndims is None or not outer.is_fully_defined():
            of_loc = shape_internal(loc)[:-1]
        else:
            of_loc = convert_to_tensor(outer, name="loc_batch_shape")
        return prefer_static_broadcast_shape(batch, of_loc), event


def get_broadcast_shape(*tensors: Tensor) -> Any:
    """The shape to which tensors broadcast: a list if it is known, else an int32 vector."""
    static = tensors[0].get_shape()
    for tensor in tensors[1:]:
        static = broadcast_static_shape(static, tensor.get_shape())
    if static.is_fully_defined():
        return static.as_list()
    shape = shape_internal(tensors[0])
    for tensor in tensors[1:]:
        shape = broadcast_dynamic_shape(shape, shape_internal(tensor))
    return shape


def maybe_check_scalar_distribution(
    distribution: Distribution, expected_base_dtype: Any, validate_args: bool
) -> list[Any]:
    """What has to be checked when the graph runs for a distribution to be one of numbers, without a batch.

    Args:
        distribution: the distribution.
        expected_base_dtype: the type it must have.
        validate_args: whether what is not known yet is checked when the graph runs; its samples must be
            differentiable then as well.

    Raises:
        TypeError: if it has another type.
        ValueError: if it is known to have a batch or to be over others than numbers.
    """
    if distribution.dtype != expected_base_dtype:
        names = f'distribution.dtype="{distribution.dtype.name}" is not "{expected_base_dtype.name}"'
        raise TypeError(f"dtype mismatch; {names}")
    if validate_args and distribution.reparameterization_type != FULLY_REPARAMETERIZED:
        raise ValueError(
            "Base distribution should be reparameterized or be a function of non-trainable variables; "
            f'distribution.reparameterization_type = "{distribution.reparameterization_type}" '
            '!= "FULLY_REPARAMETERIZED".'
        )
    checks = []
    with name_scope("check_distribution"):
        for what in ("is_scalar_event", "is_scalar_batch"):
            scalar = getattr(distribution, what)()
            known = value_of(scalar)
            message = f"distribution must be scalar; distribution.{what}=False is not True"
            if known is not None and not known:
                raise ValueError(message)
            if known is None and validate_args:
                checks.append(assert_equal(scalar, True, message=message))
    return checks
