"""Nearest points of sets of weights, and the weights a stochastic matrix leaves as they are.

C. Michelot, "A finite algorithm for finding the projection of a point onto the canonical simplex of R^n", Journal of
Optimization Theory and Applications 50 (1986); the power method: Golub and Van Loan, "Matrix computations" (2013),
section 7.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.norms import norm
from headrace.functions.math.reduction import reduce_any, reduce_max, reduce_sum
from headrace.kernels.composing import expand_dims, matmul, ones_like
from headrace.ops.array.constant import constant
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


def nearest_multipliers(multipliers: Variable, radius: float) -> Tensor:
    """The vector nearest to `multipliers` that has no negative element and a sum of at most `radius`."""

    def excess(values: Tensor | Variable, active: Tensor) -> Tensor:
        over = (radius - reduce_sum(values)) / raw.Maximum(1.0, reduce_sum(active))
        return raw.Minimum(0.0, over)

    return _active_set(multipliers, excess)


def nearest_stochastic_matrix(matrix: Variable) -> Tensor:
    """The matrix nearest to `matrix` whose columns are distributions."""

    def excess(values: Tensor | Variable, active: Tensor) -> Tensor:
        missing = 1.0 - reduce_sum(values, axis=0, keepdims=True)
        return missing / raw.Maximum(1.0, reduce_sum(active, axis=0, keepdims=True))

    return _active_set(matrix, excess)


def nearest_log_stochastic_matrix(log_matrix: TensorLike) -> Tensor:
    """The logarithm of the distributions nearest, by KL divergence, to the exponentials of the columns."""
    # The greatest element of a column becomes 0, so that no exponential overflows.
    log_matrix = log_matrix - reduce_max(log_matrix, axis=0, keepdims=True)
    return log_matrix - raw.Log(reduce_sum(raw.Exp(log_matrix), axis=0, keepdims=True))


def _active_set(start: Variable, shift: Callable[[Any, Any], Any]) -> Tensor:
    """Shifts the positive elements as `shift` says, drops those that became negative, until none does."""
    most = start.get_shape()[0].value

    def step(count: Tensor, values: Tensor | Variable, active: Tensor, _: Tensor) -> tuple[Any, ...]:
        count = count + 1
        values = values + shift(values, active) * active
        positive = cast(values > 0, values.dtype)
        return count, values * positive, positive, active

    def changed(count: Tensor, _: Tensor, active: Tensor, before: Tensor) -> Tensor:
        return raw.LogicalAnd(count < most, reduce_any(raw.NotEqual(active, before)))

    all_active = ones_like(start)
    first = step(constant(0), start, all_active, all_active)
    return while_loop(changed, step, loop_vars=first, name="euclidean_projection")[1]


def stationary_vector(matrix: Tensor | Variable, epsilon: float = 1e-6, maximum_iterations: int = 100) -> Tensor:
    """The eigenvector of the greatest eigenvalue, of norm 1, by the power method.

    Args:
        matrix: a square matrix.
        epsilon: how little a step changes the vector when it is found.
        maximum_iterations: how many steps are taken at most.
    """

    def step(count: Tensor, vector: Tensor, _: Tensor) -> tuple[Any, ...]:
        count = count + 1
        product = matmul(matrix, expand_dims(vector, 1))[:, 0]
        return count, product / norm(product), vector

    def goes_on(count: Tensor, vector: Tensor, before: Tensor) -> Tensor:
        return raw.LogicalAnd(count < maximum_iterations, norm(vector - before) > epsilon)

    vector = ones_like(matrix[:, 0])
    vector = vector / norm(vector)
    return while_loop(goes_on, step, loop_vars=step(constant(0), vector, vector), name="power_method")[1]
