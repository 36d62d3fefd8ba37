"""GGT: full-matrix adaptive steps from a window of past gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import dtypes
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, get_default_graph, name_scope
from headrace.core.registry import raw
from headrace.functions.flow.cond import cond
from headrace.functions.math.linalg_functions import svd
from headrace.functions.math.matrices import eye
from headrace.functions.math.reduction import reduce_min
from headrace.kernels.composing import expand_dims, matmul, transpose
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.filling import zeros
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast
from headrace.ops.math.division import divide, floormod
from headrace.optimizers.optimizer import Optimizer
from headrace.state.updates import assign_add, assign_sub, scatter_update
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.composite import IndexedSlices
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


_HYPERPARAMETERS = ("beta1", "eps", "lr", "sigma_eps", "svd_eps", "window")


class GGTOptimizer(Optimizer):
    """GGT: AdaGrad by the full matrix of the last gradients, at the price of a small SVD (arXiv:1806.02958).

    All variables together are one vector, in the order of their names. Gradients must be dense.

    Args:
        learning_rate: a number.
        beta1: the decay of the first moment.
        use_locking: whether updates lock the variables.
        name: the name scope of the step.
        window: how many first moments are kept.
        eps: below which singular value the part outside the window is left alone.
        svd_eps: what is added to the diagonal before the decomposition.
        sigma_eps: what is added to singular values before they are inverted.

    Example:
        >>> train_op = tf.contrib.opt.GGTOptimizer(0.01, window=20).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        use_locking: bool = False,
        name: str = "GGT",
        window: int = 10,
        eps: float = 1e-4,
        svd_eps: float = 1e-6,
        sigma_eps: float = 1e-2,
    ) -> None:
        super().__init__(use_locking, name)
        given = {"lr": learning_rate, "beta1": beta1, "window": window, "eps": eps}
        self._hyper = {**given, "svd_eps": svd_eps, "sigma_eps": sigma_eps}
        self._hyper_tensors: dict[str, Any] = {}
        # The first and last place of each variable in the vector, by name.
        self._places: dict[str, tuple[int, int]] = {}
        self._variables: list[Any] = []

    def _state(self, name: str) -> Any:
        return self._get_non_slot_variable(name, graph=get_default_graph())

    def _get_global_step(self) -> Any:
        return self._state("global_step")

    def _get_moment1(self) -> Any:
        return self._state("moment1")

    def _get_grad_buffer(self) -> Any:
        return self._state("grad_buffer")

    def _get_flat_grad(self) -> Any:
        return self._state("flat_grad")

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        with name_scope(f"{self._name}/"):
            self._hyper_tensors = {
                name: convert_to_tensor(self._call_if_callable(self._hyper[name]), name=name)
                for name in _HYPERPARAMETERS
            }
        start = 0
        for name, var in sorted({var.name: var for var in var_list}.items()):
            end = start + int(np.prod(var.shape.as_list()))
            self._places[name] = (start, end)
            start = end
        first = min(var_list, key=lambda var: var.name)
        dtype = var_list[0].dtype.base_dtype
        window = self._hyper_tensors["window"]

        def made(initial: Callable[[], Any], name: str) -> None:
            if self._state(name) is None:
                # Of the default kind, beside resource variables too.
                with colocate_with(first):
                    self._non_slot_dict[name, get_default_graph()] = Variable(initial(), name=name, trainable=False)

        made(lambda: cast(0.0, dtype), "global_step")
        made(lambda: zeros([window, start], dtype=dtype), "grad_buffer")
        made(lambda: zeros([start], dtype=dtype), "moment1")
        made(lambda: zeros([start], dtype=dtype), "flat_grad")

    def _prepare(self) -> None:
        self._variables = []

    def _apply_dense(self, grad: TensorLike, var: Any) -> Tensor:
        self._variables.append(var)
        flat = raw.Reshape(grad, [-1])
        return scatter_update(self._state("flat_grad"), integers(*self._places[var.name]), flat)

    def _resource_apply_dense(self, grad: TensorLike, handle: TensorLike) -> Tensor:
        return self._apply_dense(grad, handle)

    def _apply_sparse(self, grad: IndexedSlices, var: TensorLike) -> Operation | Tensor:
        raise NotImplementedError("Sparse gradient updates are not supported.")

    def _resource_apply_sparse(self, grad: TensorLike, handle: TensorLike, indices: TensorLike) -> Operation | None:
        raise NotImplementedError("Sparse gradient updates are not supported.")

    def _finish(self, update_ops: Iterable[Any], scope: str) -> Operation:
        dtype = self._variables[0].dtype.base_dtype
        hyper = {name: cast(value, dtype) for name, value in self._hyper_tensors.items() if name != "window"}
        window = self._hyper_tensors["window"]
        updated = group(*update_ops)
        with control_dependencies([updated]), colocate_with(self._state("global_step")):
            steps = assign_add(self._state("global_step"), 1.0)
            moment, flat = self._state("moment1"), self._state("flat_grad")
            mean = moment.assign(hyper["beta1"] * moment + (1.0 - hyper["beta1"]) * flat)
            place = floormod(cast(steps - 1.0, dtypes.int32), window)
            kept = scatter_update(self._state("grad_buffer"), place, mean)
            step = self._direction(steps, mean, kept, window, hyper, dtype)
            moved = []
            for var in self._variables:
                start, end = self._places[var.name]
                part = raw.Reshape(step[start:end], var.shape.as_list())
                moved.append(assign_sub(var, hyper["lr"] * part))
            applied = group(*moved)
        return group(applied, name=scope)

    def _direction(
        self, steps: TensorLike, mean: TensorLike, kept: TensorLike, window: Tensor, hyper: dict[str, Any], dtype: DType
    ) -> Tensor:
        """What is subtracted from the vector of all variables, before the learning rate, [size, 1]."""
        count = raw.Sqrt(raw.Minimum(steps, cast(window, dtype)))
        column = expand_dims(mean, -1)
        # [size, window], of which the Gram matrix is decomposed instead of the [size, size] one.
        m = transpose(divide(kept, count))
        gram = matmul(m, m, transpose_a=True) + cast(eye(window), dtype) * hyper["svd_eps"]
        sigma, u, _ = svd(gram)
        roots = raw.Sqrt(sigma)
        smallest = reduce_min(roots)

        def through(diagonal: Tensor) -> Tensor:
            spread = raw.Diag(diagonal)
            inner = matmul(u, matmul(m, column, transpose_a=True), transpose_a=True)
            return matmul(m, matmul(u, matmul(spread, inner)))

        inverse = divide(cast(1.0, dtype), raw.Pow(roots + hyper["sigma_eps"], 3.0))
        nothing = expand_dims(zeros(self._state("flat_grad").shape.as_list(), dtype=dtype), -1)
        head = through(inverse)
        tail = divide(column - through(divide(cast(1.0, dtype), sigma)), smallest)
        return cond(smallest > hyper["eps"], lambda: raw.Add(head, tail), lambda: raw.Add(nothing, head))
