"""Steps scaled by whether gradient and its average agree in sign, and decays of that scaling.

Bello, Zoph, Vasudevan and Le, "Neural optimizer search with reinforcement learning", arXiv:1709.07417.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.kernels import composing
from headrace.ops.array.gather import gather
from headrace.ops.flow.grouping import group
from headrace.ops.math.division import mod
from headrace.optimizers.applying import OpUpdates
from headrace.optimizers.optimizer import Optimizer
from headrace.state.updates import assign, scatter_sub

if TYPE_CHECKING:
    from headrace.core.composite import IndexedSlices
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


Decay = Callable[[Any], Any]


class _SignOptimizer(OpUpdates, Optimizer):
    """The common part: the slot of the average, and the decay of the scaling."""

    def __init__(
        self, learning_rate: float, beta: float, sign_decay_fn: Decay | None, use_locking: bool, name: str
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn
        self._lr_t: Any = None
        self._beta_t: Any = None
        self._sign_decay_t: Tensor | None = None

    def _slot_order(self) -> tuple[str, ...]:
        return ("m",)

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """As `Optimizer.apply_gradients`; a decay is computed from `global_step`."""
        if self._sign_decay_fn is not None:
            self._sign_decay_t = convert_to_tensor(self._sign_decay_fn(global_step), name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _no_decay(self) -> None:
        if self._sign_decay_fn is None:
            self._sign_decay_t = convert_to_tensor(1.0, name="sign_decay")

    def _scale(self, agreement: Tensor, dtype: DType) -> Tensor:
        """What the rows of a gradient are multiplied by."""
        raise NotImplementedError

    def _resource_apply_sparse(self, grad: TensorLike, handle: TensorLike, indices: TensorLike) -> Operation | None:
        raise NotImplementedError(
            f"{self._name}: rows of a resource variable cannot be updated alone; make the variable with use_resource=False"
        )

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Operation | Tensor:
        dtype = var.dtype.base_dtype
        rate, beta = composing.cast(self._lr_t, dtype), composing.cast(self._beta_t, dtype)
        m = self.get_slot(var, "m")
        average = assign(m, m * beta + grad * (1 - beta), use_locking=self._use_locking)
        sign = raw.Sign(grad.values)
        agreement = gather(raw.Sign(average), grad.indices) * sign
        step = rate * self._scale(agreement, dtype) * grad.values
        update = scatter_sub(var, grad.indices, step, use_locking=self._use_locking)
        return group(update, average)


class AddSignOptimizer(_SignOptimizer):
    """w -= learning_rate * (alpha + decay * sign(gradient) * sign(average)) * gradient.

    Args:
        learning_rate, alpha, beta: numbers or tensors; `beta` is how much of the average stays.
        sign_decay_fn: a function of the global step that gives the decay, such as `get_linear_decay_fn` makes.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.
    """

    def __init__(
        self,
        learning_rate: float = 0.1,
        alpha: TensorLike = 1.0,
        beta: float = 0.9,
        sign_decay_fn: Decay | None = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha
        self._alpha_t: Tensor | None = None

    def _kind(self) -> str:
        return "AddSign"

    def _prepare(self) -> None:
        self._lr_t = convert_to_tensor(self._lr, name="learning_rate")
        self._beta_t = convert_to_tensor(self._beta, name="beta")
        self._alpha_t = convert_to_tensor(self._alpha, name="alpha")
        self._no_decay()

    def _values(self) -> dict[str, Any]:
        return {"lr": self._lr_t, "alpha": self._alpha_t, "sign_decay": self._sign_decay_t, "beta": self._beta_t}

    def _scale(self, agreement: Tensor, dtype: DType) -> Tensor:
        return composing.cast(self._alpha_t, dtype) + composing.cast(self._sign_decay_t, dtype) * agreement


class PowerSignOptimizer(_SignOptimizer):
    """w -= learning_rate * base ** (decay * sign(gradient) * sign(average)) * gradient.

    Args:
        learning_rate: a number or tensor.
        base: a number.
        beta: how much of the average stays.
        sign_decay_fn: a function of the global step that gives the decay.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.
    """

    def __init__(
        self,
        learning_rate: float = 0.1,
        base: float = math.e,
        beta: float = 0.9,
        sign_decay_fn: Decay | None = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._logbase = math.log(base)
        self._logbase_t: Tensor | None = None

    def _kind(self) -> str:
        return "PowerSign"

    def _prepare(self) -> None:
        self._lr_t = convert_to_tensor(self._lr, name="learning_rate")
        self._beta_t = convert_to_tensor(self._beta, name="beta")
        self._logbase_t = convert_to_tensor(self._logbase, name="logbase")
        self._no_decay()

    def _values(self) -> dict[str, Any]:
        return {
            "lr": self._lr_t,
            "logbase": self._logbase_t,
            "sign_decay": self._sign_decay_t,
            "beta": self._beta_t,
        }

    def _scale(self, agreement: Tensor, dtype: DType) -> Tensor:
        decayed = composing.cast(self._logbase_t, dtype) * composing.cast(self._sign_decay_t, dtype) * agreement
        return raw.Pow(composing.cast(math.e, dtype), decayed)


def _step_of(global_step: TensorLike, decay_steps: int, kind: str) -> Any:
    if global_step is None:
        raise ValueError(f"global_step is required for {kind}.")
    return raw.Minimum(global_step, decay_steps)


def get_linear_decay_fn(decay_steps: int) -> Decay:
    """A function of the global step that falls from 1 to 0 in so many steps."""

    def linear_decay_fn(global_step: TensorLike) -> Any:
        step = composing.cast(_step_of(global_step, decay_steps, "linear_decay"), "int32")
        remaining = composing.cast(decay_steps, "int32") - step
        decayed = composing.cast(remaining, "float32") / composing.cast(decay_steps, "float32")
        return raw.Maximum(0.0, decayed)

    return linear_decay_fn


def get_cosine_decay_fn(decay_steps: int, num_periods: float = 0.5, zero_after: float | None = None) -> Decay:
    """A function of the global step that is a raised cosine.

    Args:
        decay_steps: how many steps it takes.
        num_periods: how many periods there are in them.
        zero_after: after how many periods it stays 0.
    """

    def cosine_decay_fn(global_step: TensorLike) -> Any:
        step = _step_of(global_step, decay_steps, "cosine_decay")
        done = composing.cast(step, "float32") / composing.cast(decay_steps, "float32")
        fraction = 2.0 * num_periods * done
        decayed = 0.5 * (1.0 + raw.Cos(convert_to_tensor(math.pi) * fraction))
        if zero_after is None:
            return decayed
        return raw.Select(raw.GreaterEqual(fraction, 2 * zero_after), 0.0, decayed)

    return cosine_decay_fn


def get_restart_decay_fn(decay_steps: int, num_periods: int = 1, zero_after: float | None = None) -> Decay:
    """A function of the global step that falls as half a cosine and starts again.

    Args:
        decay_steps: how many steps it takes.
        num_periods: how often it falls in them.
        zero_after: after how many periods it stays 0.
    """

    def restart_decay_fn(global_step: TensorLike) -> Any:
        step = _step_of(global_step, decay_steps, "cosine_decay")
        place = mod(num_periods * composing.cast(step, "float32"), decay_steps)
        fraction = place / composing.cast(decay_steps, "float32")
        decayed = 0.5 * (1.0 + raw.Cos(convert_to_tensor(math.pi) * fraction))
        if zero_after is None:
            return decayed
        periods = composing.cast(num_periods * step, "float32") / composing.cast(decay_steps, "float32")
        return raw.Select(raw.GreaterEqual(periods, zero_after), 0.0, decayed)

    return restart_decay_fn
