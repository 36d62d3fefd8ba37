"""Shampoo: Adagrad with a preconditioning matrix for each dimension of a variable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import dtypes
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, name_scope
from headrace.core.registry import raw
from headrace.functions.flow.cond import cond
from headrace.functions.math.linalg_functions import svd
from headrace.functions.math.matrices import eye
from headrace.functions.math.products import tensordot
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing import expand_dims, matmul, transpose
from headrace.kernels.composing.filling import zeros, zeros_like
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.ops.array.gather import gather
from headrace.ops.array.scatter import scatter_nd
from headrace.ops.array.where import where
from headrace.ops.math.cast import cast
from headrace.ops.math.division import mod
from headrace.optimizers.matrix_roots import matrix_inverse_pth_root, matrix_square_root
from headrace.optimizers.optimizer import Optimizer
from headrace.state.updates import assign, assign_add, assign_sub, scatter_add
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.composite import IndexedSlices
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


_Number = float | Callable[[Any], Any]


def _at(value: float | Callable[..., Any], step: Tensor) -> Any:
    """A hyperparameter at a step: itself, or what the function says."""
    return value(step) if callable(value) else value


class ShampooOptimizer(Optimizer):
    """Shampoo (Gupta, Koren and Singer, arXiv:1802.09568).

    Of each variable it keeps gbar, the weighted sum of the gradients, and for each dimension j of it a matrix G_j, the
    weighted sum of the outer products of the gradient with itself over the other dimensions. A step is
    w -= learning_rate * gbar contracted with G_j^(-alpha / rank) along every dimension j. Dimensions larger than
    `max_matrix_size` have the diagonal of the matrix only.

    Numbers below may be functions of the step (a float tensor) as well.

    Args:
        global_step: the variable that counts the steps.
        max_matrix_size: the largest dimension that has a matrix.
        gbar_decay, gbar_weight: gbar = gbar_decay * gbar + gbar_weight * gradient.
        mat_gbar_decay, mat_gbar_weight: the same for the matrices.
        learning_rate: as elsewhere.
        svd_interval: after how many steps the powers of the matrices are taken again.
        precond_update_interval: after how many steps the matrices are updated.
        epsilon: what is added to the diagonal of the matrices.
        alpha: the power of all preconditioners together.
        use_iterative_root: whether powers are taken by iterations of products rather than by singular values.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.

    Example:
        >>> step = tf.train.get_or_create_global_step()
        >>> train_op = tf.contrib.opt.ShampooOptimizer(step, learning_rate=0.1).minimize(loss, global_step=step)
    """

    def __init__(
        self,
        global_step: TensorLike = 0,
        max_matrix_size: int = 768,
        gbar_decay: _Number = 0.0,
        gbar_weight: _Number = 1.0,
        mat_gbar_decay: _Number = 1.0,
        mat_gbar_weight: _Number = 1.0,
        learning_rate: _Number = 1.0,
        svd_interval: int = 1,
        precond_update_interval: int = 1,
        epsilon: float = 1e-4,
        alpha: _Number = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "Shampoo",
    ) -> None:
        super().__init__(use_locking, name)
        self._global_step = cast(global_step, dtypes.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar_decay = gbar_decay
        self._gbar_weight = gbar_weight
        self._mat_gbar_decay = mat_gbar_decay
        self._mat_gbar_weight = mat_gbar_weight
        self._learning_rate = learning_rate
        self._svd_interval = svd_interval
        self._precond_update_interval = precond_update_interval
        self._epsilon = epsilon
        self._alpha = alpha
        self._use_iterative_root = use_iterative_root

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            with colocate_with(var):
                self._zeros_slot(var, "gbar", self._name)
                for i, size in enumerate(var.shape.as_list()):
                    size_tensor = convert_to_tensor(size, dtypes.int32, name="shape_as_tensor")
                    if size <= self._max_matrix_size:
                        start = zeros_like(eye(size_tensor))
                        if callable(self._svd_interval) or self._svd_interval > 1:
                            self._get_or_make_slot(var, eye(size_tensor), f"H_{i}", self._name)
                    else:
                        start = zeros([size_tensor])
                    self._get_or_make_slot(var, start, f"Gbar_{i}", self._name)

    def _apply_dense(self, grad: TensorLike, var: TensorLike) -> Operation | Tensor | Variable:
        return self._apply_gradient(grad, var)

    def _resource_apply_dense(self, grad: TensorLike, handle: TensorLike) -> Operation | Tensor | Variable | None:
        # By way of the other method, as in 1.15: what extends both is applied twice.
        return self._apply_dense(grad, handle)

    def _apply_sparse(self, grad: IndexedSlices, var: TensorLike) -> Operation | Tensor:
        return self._apply_rows(grad.values, grad.indices, var)

    def _resource_apply_sparse(self, grad: TensorLike, handle: TensorLike, indices: TensorLike) -> Any:
        return self._apply_rows(grad, indices, handle)

    def _apply_rows(self, grad: TensorLike, indices: Any, var: Any) -> Any:
        if var.shape.as_list()[0] <= self._max_matrix_size or self._gbar_decay != 0.0:
            # The matrix of the first dimension mixes all rows.
            dense = scatter_nd(expand_dims(indices, 1), grad, shape_of(var, out_type=indices.dtype))
            return self._apply_gradient(dense, var)
        return self._apply_gradient(grad, var, indices)

    def _weighted(self, average: Any, decay: Any, decay_now: Any, new: TensorLike) -> Any:
        """average = decay * average + new, with the two usual decays made cheap."""
        if decay == 0.0:
            return new
        if decay == 1.0:
            return assign_add(average, new)
        return average.assign_add((decay_now - 1) * average + new)

    def _power_of(self, var: TensorLike, matrix: Tensor, size: int, power: Any, slot: str | None) -> Tensor:
        """`matrix` [size, size] to a negative power, also kept in the slot where there is one."""
        with name_scope("matrix_iterative_power"):
            if self._use_iterative_root:
                root = matrix_square_root(matrix, size, 100, self._epsilon)
                powered = matrix_inverse_pth_root(root, size, 2 * power, 100, 1e-6, ridge_epsilon=0.0)
            elif size == 1:
                powered = raw.Pow(matrix + self._epsilon, power)
            else:
                damping = self._epsilon * eye(cast(size, dtypes.int32))
                values, left, right = svd(matrix + damping, full_matrices=True)
                scaled = right * raw.Pow(raw.Maximum(values, self._epsilon), power)
                powered = matmul(scaled, transpose(left))
            return powered if slot is None else assign(self.get_slot(var, slot), powered)

    def _matrix_factor(
        self, var: TensorLike, grad: TensorLike, i: int, size: int, rank: int, step: Tensor, power: Any
    ) -> Tensor:
        """The power of the matrix of dimension i, [size, size], after its update."""
        slot = self.get_slot(var, f"Gbar_{i}")
        others = [axis for axis in range(rank) if axis != i]
        interval = _at(self._precond_update_interval, step)
        decay, weight = _at(self._mat_gbar_decay, step), _at(self._mat_gbar_weight, step) * interval

        def updated() -> Tensor | Variable:
            product = tensordot(grad, grad, axes=(others, others), name=f"grad_outer_{i}")
            return self._weighted(slot, self._mat_gbar_decay, decay, weight * product)

        matrix = cond(mod(step, interval) < 1, updated, lambda: slot) / float(size)
        if self._svd_interval == 1:
            return self._power_of(var, matrix, size, power, None)
        return cond(
            mod(step, _at(self._svd_interval, step)) < 1,
            lambda: self._power_of(var, matrix, size, power, f"H_{i}"),
            lambda: self.get_slot(var, f"H_{i}"),
        )

    def _diagonal_factor(
        self, var: TensorLike, grad: Any, i: int, size: int, rank: int, step: Tensor, power: Any, indices: Any
    ) -> Tensor:
        """The power of the diagonal of dimension i, [size] or that of the rows of `indices`, after its update."""
        slot = self.get_slot(var, f"Gbar_{i}")
        weight = _at(self._mat_gbar_weight, step)
        others = [axis for axis in range(rank) if axis != i]
        squares = grad * grad
        if others:
            squares = reduce_sum(squares, axis=others) / (1.0 if indices is not None else float(size))
        if i == 0 and indices is not None:
            if self._mat_gbar_decay != 1.0:
                raise AssertionError(f"mat_gbar_decay must be 1 for sparse gradients, got {self._mat_gbar_decay!r}.")
            diagonal = gather(scatter_add(slot, indices, weight * squares), indices)
        else:
            decay = _at(self._mat_gbar_decay, step)
            diagonal = self._weighted(slot, self._mat_gbar_decay, decay, weight * squares)
        return where(raw.Greater(diagonal, 0), raw.Pow(diagonal, power), zeros_like(diagonal))

    def _apply_gradient(self, grad: Any, var: Any, indices: TensorLike | None = None) -> Tensor | Variable:
        """The step of a variable; with `indices`, `grad` has the gradients of those rows."""
        step = self._global_step + 1
        decay, weight = _at(self._gbar_decay, step), _at(self._gbar_weight, step)
        if indices is None:
            direction = self._weighted(self.get_slot(var, "gbar"), self._gbar_decay, decay, weight * grad)
        else:
            if self._gbar_decay != 0.0:
                tf_logging.warning("Not applying momentum for variable: %s", var.name)
            direction = grad
        sizes = var.shape.as_list()
        rank = len(sizes)
        power = -_at(self._alpha, step) / rank if rank else None
        for i, size in enumerate(sizes):
            # Each turn contracts the first dimension and puts the new one last, so the last turn has restored them.
            if size <= self._max_matrix_size:
                factor = self._matrix_factor(var, grad, i, size, rank, step, power)
                direction = tensordot(direction, factor, axes=([0], [0]), name=f"precond_{i}")
            else:
                factor = self._diagonal_factor(var, grad, i, size, rank, step, power, indices)
                direction = transpose(direction, perm=[*range(1, rank), 0]) * factor
        rate = _at(self._learning_rate, step)
        if indices is not None:
            return scatter_add(var, indices, -rate * direction)
        return assign_sub(var, rate * direction)
