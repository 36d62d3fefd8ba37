"""Bijectors of vectors and matrices: triangles, diagonals, orders, shapes.

Jacobians of matrices: Muirhead, "Aspects of multivariate statistical theory" (1982), section 2.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.affine_bijectors import AffineScalar
from headrace.distributions.bijector import Bijector
from headrace.distributions.composed_bijectors import Chain
from headrace.distributions.elementwise_bijectors import Softplus
from headrace.distributions.triangular_shaping import fill_triangular, fill_triangular_inverse, side_of
from headrace.functions.flow.checks import assert_equal, assert_none_equal, assert_positive
from headrace.functions.flow.rank_checks import assert_rank_at_least
from headrace.functions.math.linalg_functions import cholesky
from headrace.functions.math.matrices import eye
from headrace.functions.math.reduction import reduce_logsumexp, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.range import linspace
from headrace.ops.array.shape import reshape
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.nn.activations import softplus
from headrace.ops.nn.softmax import softmax

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _square_checks(x: Tensor) -> list[Any]:
    shape = shape_internal(x)
    return [
        assert_rank_at_least(x, 2, message="Input must be a (batch of) matrix."),
        assert_equal(shape[-2], shape[-1], message="Input must be a (batch of) square matrix."),
    ]


class CholeskyOuterProduct(Bijector):
    """Y = X X^T for lower triangular X with a positive diagonal."""

    def __init__(self, validate_args: bool = False, name: str = "cholesky_outer_product") -> None:
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        if self.validate_args:
            x = with_dependencies(_square_checks(x), x)
        lower = raw.MatrixBandPart(x, -1, 0)
        return matmul(lower, lower, adjoint_b=True)

    def _inverse(self, y: Tensor) -> Tensor:
        return cholesky(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        diag = raw.MatrixDiagPart(x, name="diag_part")
        if self.validate_args:
            positive = assert_positive(diag, message="Input must be positive definite.")
            diag = with_dependencies([*_square_checks(x), positive], diag)
        # Element i of the diagonal is a factor of as many outputs as rows are left (Muirhead, theorem 2.1.9).
        size = shape_internal(x)[-1] if x.dims is None or x.dims[-1] is None else x.dims[-1]
        count = composing.cast(size, x.dtype)
        weights = linspace(count, convert_to_tensor(1.0, x.dtype), size)
        return count * np.log(2.0).astype(x.dtype.as_numpy_dtype) + reduce_sum(raw.Log(diag) * weights, axis=-1)


class MatrixInverseTriL(Bijector):
    """Y = X^-1 for lower triangular X.

    d(X^-1) = -X^-1 dX X^-1 stretches the space of all n x n matrices by |det X|^(-2n); TensorFlow takes that here too.
    """

    def __init__(self, validate_args: bool = False, name: str = "matrix_inverse_tril") -> None:
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _tests(self, x: Tensor) -> list[Any]:
        if not self.validate_args:
            return []
        diag = raw.MatrixDiagPart(x, name="diag_part")
        above = raw.MatrixBandPart(raw.MatrixSetDiag(x, composing.zeros_like(diag), name="set_diag"), 0, -1)
        return [
            *_square_checks(x),
            assert_equal(above, composing.zeros_like(above), message="Input must be lower triangular."),
            assert_none_equal(
                diag, composing.zeros_like(diag), message="Input must have all diagonal entries nonzero."
            ),
        ]

    def _forward(self, x: Tensor) -> Tensor:
        with control_dependencies(self._tests(x)):
            shape = shape_internal(x)
            return raw.MatrixTriangularSolve(x, eye(shape[-1], batch_shape=shape[:-2], dtype=x.dtype), lower=True)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._forward(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        with control_dependencies(self._tests(x)):
            size = composing.cast(shape_internal(x)[-1], x.dtype.base_dtype)
            return -2.0 * size * reduce_sum(raw.Log(raw.Abs(raw.MatrixDiagPart(x, name="diag_part"))), axis=-1)


class FillTriangular(Bijector):
    """A vector of n (n + 1) / 2 elements as a triangular matrix: see `fill_triangular`."""

    def __init__(self, upper: bool = False, validate_args: bool = False, name: str = "fill_triangular") -> None:
        self._upper = upper
        super().__init__(forward_min_event_ndims=1, inverse_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        return fill_triangular(x, upper=self._upper)

    def _inverse(self, y: Tensor) -> Tensor:
        return fill_triangular_inverse(y, upper=self._upper)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return composing.zeros_like(x[..., 0])

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return composing.zeros_like(y[..., 0, 0])

    def _forward_event_shape(self, input_shape: Any) -> TensorShape:
        length = input_shape.dims[-1].value
        side = None if length is None else side_of(length)
        return input_shape[:-1].concatenate([side, side])

    def _inverse_event_shape(self, output_shape: Any) -> TensorShape:
        rows, columns = (dim.value for dim in output_shape.dims[-2:])
        if rows is not None and columns is not None and rows != columns:
            raise ValueError(f"Matrix must be square. (saw [{rows}, {columns}])")
        count = None if rows is None or columns is None else rows * (rows + 1) // 2
        return output_shape[:-2].concatenate([count])

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        length = constant_value(input_shape[-1])
        if length is not None:
            side: Any = side_of(int(length))
        else:
            side = composing.cast(
                (raw.Sqrt(8.0 * composing.cast(input_shape[-1], "float32") + 1.0) - 1.0) / 2.0, "int32"
            )
            if self.validate_args:
                fits = assert_equal(
                    side * (side + 1) // 2, input_shape[-1], message="Vector length is not a triangular number"
                )
                side = with_dependencies([fits], side)
        return composing.concat([input_shape[:-1], [side, side]], 0)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        side = output_shape[-1]
        if self.validate_args:
            square = assert_equal(side, output_shape[-2], message="Matrix must be square.")
            side = with_dependencies([square], side)
        return composing.concat([output_shape[:-2], [side * (side + 1) // 2]], 0)


class TransformDiagonal(Bijector):
    """Applies a bijector to the diagonal of a matrix and leaves the rest."""

    def __init__(self, diag_bijector: Bijector, validate_args: bool = False, name: str = "transform_diagonal") -> None:
        self._diag_bijector = diag_bijector
        super().__init__(forward_min_event_ndims=2, inverse_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        return raw.MatrixSetDiag(
            x, self._diag_bijector.forward(raw.MatrixDiagPart(x, name="diag_part")), name="set_diag"
        )

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.MatrixSetDiag(
            y, self._diag_bijector.inverse(raw.MatrixDiagPart(y, name="diag_part")), name="set_diag"
        )

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return self._diag_bijector.forward_log_det_jacobian(raw.MatrixDiagPart(x, name="diag_part"), event_ndims=1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return self._diag_bijector.inverse_log_det_jacobian(raw.MatrixDiagPart(y, name="diag_part"), event_ndims=1)


class ScaleTriL(Chain):
    """A vector as a lower triangular matrix with a positive diagonal.

    Args:
        diag_bijector: what makes the diagonal positive; Softplus by default.
        diag_shift: what is added to it; None for nothing.
        validate_args, name: as for `Bijector`.
    """

    def __init__(
        self,
        diag_bijector: Bijector | None = None,
        diag_shift: TensorLike | None = 1e-5,
        validate_args: bool = False,
        name: str = "scale_tril",
    ) -> None:
        if diag_bijector is None:
            diag_bijector = Softplus(validate_args=validate_args)
        if diag_shift is not None:
            diag_bijector = Chain([AffineScalar(shift=diag_shift), diag_bijector])
        super().__init__(
            [TransformDiagonal(diag_bijector=diag_bijector), FillTriangular()], validate_args=validate_args, name=name
        )


def _last_alone(shape: Any) -> Any:
    """The last size of a shape as a shape, where it is known: what stands before it is no part of an event."""
    if shape.ndims is None or shape.dims[-1].value is None:
        return shape
    return TensorShape([shape.dims[-1].value])


class Ordered(Bijector):
    """A vector of increasing numbers as its first one and the logarithms of the steps."""

    def __init__(self, validate_args: bool = False, name: str = "ordered") -> None:
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return _last_alone(input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return _last_alone(output_shape)

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return input_shape[-1:]

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return output_shape[-1:]

    def _steps(self, x: Tensor) -> Tensor:
        steps = x[..., 1:] - x[..., :-1]
        if not self.validate_args:
            return steps
        message = "Forward transformation input must be strictly increasing."
        return with_dependencies([assert_positive(steps, message=message)], steps)

    def _forward(self, x: Tensor) -> Tensor:
        return composing.concat([x[..., :1], raw.Log(self._steps(x))], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Cumsum(composing.concat([y[..., :1], raw.Exp(y[..., 1:])], -1), -1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return reduce_sum(y[..., 1:], axis=-1)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -reduce_sum(raw.Log(self._steps(x)), axis=-1)


class SoftmaxCentered(Bijector):
    """A vector of n numbers as n + 1 probabilities: softmax, the last logit being 0.

    The Jacobian is diag(y) - y y^T over the first n, whose determinant is the product of all n + 1 probabilities.
    """

    def __init__(self, validate_args: bool = False, name: str = "softmax_centered") -> None:
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape: Any) -> Any:
        if input_shape.ndims is None or input_shape.dims[-1].value is None:
            return input_shape
        return TensorShape([input_shape.dims[-1].value + 1])

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        if output_shape.ndims is None or output_shape.dims[-1].value is None:
            return output_shape
        size = output_shape.dims[-1].value
        if size <= 1:
            raise ValueError(f"output_shape[-1] = {size} <= 1")
        return TensorShape([size - 1])

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return input_shape[-1:] + 1

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return output_shape[-1:] - 1

    def _forward(self, x: Tensor) -> Tensor:
        return softmax(composing.concat([x, composing.zeros_like(x[..., :1])], -1))

    def _inverse(self, y: Tensor) -> Tensor:
        logs = raw.Log(y)
        return logs[..., :-1] - logs[..., -1:]

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -reduce_sum(raw.Log(y), axis=-1)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        size = composing.cast(shape_internal(x)[-1] + 1, x.dtype)
        return reduce_sum(x, axis=-1) - size * softplus(reduce_logsumexp(x, axis=-1))


class Reshape(Bijector):
    """The last dimensions of a value in another shape.

    Args:
        event_shape_out: int32 vector, the shape after; one size may be -1.
        event_shape_in: int32 vector, the shape before.
        validate_args, name: as for `Bijector`.

    Raises:
        TypeError: if a shape is not of integers. ValueError: if it is no vector or has sizes that cannot be.
    """

    def __init__(
        self,
        event_shape_out: TensorLike,
        event_shape_in: TensorLike = (-1,),
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "reshape", values=[event_shape_out, event_shape_in]):
            self._shape_out = _shape_argument(event_shape_out, "event_shape_out", validate_args)
            self._shape_in = _shape_argument(event_shape_in, "event_shape_in", validate_args)
        super().__init__(
            forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name or "reshape"
        )

    def _moved(self, x: Tensor, before: Tensor, after: Tensor) -> Tensor:
        count = before.dims[0] if before.dims else None
        rank = x.get_shape().ndims
        static_shape = constant_value(before)
        if count is not None and rank is not None and static_shape is not None:
            sizes: Any = x.get_shape().with_rank_at_least(count).as_list()[rank - count :]
            if None not in sizes and any(
                size not in (-1, real) for size, real in zip(static_shape.tolist(), sizes, strict=True)
            ):
                raise ValueError(
                    f"Input `event_shape` does not match `event_shape_in` ({np.int32(sizes)} vs {static_shape})."
                )
        if self.validate_args and (static_shape is None or rank is None):
            own = shape_internal(x)[rank_internal(x) - shape_internal(before)[0] :]
            given = raw.SelectV2(before >= 0, before, own)
            message = "Input `event_shape` does not match `event_shape_in`."
            x = with_dependencies([assert_equal(own, given, message=message)], x)
        if count is not None and rank == count:
            return reshape(x, after)
        places = (rank_internal(x) if rank is None else rank) - (shape_internal(before)[0] if count is None else count)
        return reshape(x, composing.concat([shape_internal(x)[:places], after], 0))

    def _forward(self, x: Tensor) -> Tensor:
        return self._moved(x, self._shape_in, self._shape_out)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._moved(y, self._shape_out, self._shape_in)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return convert_to_tensor(0.0, y.dtype)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return convert_to_tensor(0.0, x.dtype)

    def _forward_event_shape(self, input_shape: Any) -> TensorShape:
        return self._forward(composing.zeros(input_shape)).get_shape()

    def _inverse_event_shape(self, output_shape: Any) -> TensorShape:
        return self._inverse(composing.zeros(output_shape)).get_shape()

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return shape_internal(self._forward(composing.zeros(input_shape)))

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return shape_internal(self._inverse(composing.zeros(output_shape)))


def _shape_argument(shape: TensorLike, name: str, checked: bool) -> Tensor:
    tensor = convert_to_tensor(shape, name=name, preferred_dtype="int32")
    if not tensor.dtype.is_integer:
        raise TypeError(f"{tensor} dtype ({tensor.dtype.name}) should be `int`-like.")
    rank = tensor.get_shape().ndims
    if rank is not None and rank > 1:
        raise ValueError(f"`{tensor}` rank ({rank}) should be <= 1.")
    value = constant_value(tensor)
    if value is not None:
        if checked and (value == -1).sum() > 1:
            raise ValueError(f"`{tensor}` must have at most one `-1` (given {value})")
        if (value < -1).any():
            raise ValueError(f"`{tensor}` elements must be either positive integers or `-1`(given {value}).")
    return tensor
