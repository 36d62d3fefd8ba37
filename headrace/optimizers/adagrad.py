"""The optimizers whose steps shrink by the sum of squared gradients: Adagrad and its kin, and FTRL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import colocate_with, device
from headrace.core.registry import raw
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.math.cast import cast
from headrace.optimizers.applying import OpUpdates
from headrace.optimizers.optimizer import Optimizer
from headrace.state.initializers import constant_initializer

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


def _require_positive(name: str, value: float) -> None:
    if value <= 0.0:
        raise ValueError(f"{name} must be positive: {value}")


class AdagradOptimizer(OpUpdates, Optimizer):
    """Adagrad (Duchi, Hazan and Singer, "Adaptive subgradient methods", JMLR 12, 2011).

    Args:
        learning_rate: a number, tensor, or function without arguments that returns one.
        initial_accumulator_value: where the sums start, positive.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.

    Raises:
        ValueError: if `initial_accumulator_value` is not positive.

    Example:
        >>> train_op = tf.train.AdagradOptimizer(0.1).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        _require_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._learning_rate_tensor: Tensor | None = None

    def _kind(self) -> str:
        return "Adagrad"

    def _slot_order(self) -> tuple[str, ...]:
        return ("accumulator",)

    def _values(self) -> dict[str, Any]:
        return {"lr": self._learning_rate_tensor}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            if var.get_shape().is_fully_defined():
                initial: Any = constant_initializer(self._initial_accumulator_value, dtype=dtype)
            else:
                initial = self._init_constant_op(var, dtype)
            self._get_or_make_slot_with_initializer(var, initial, var.get_shape(), dtype, "accumulator", self._name)

    def _init_constant_op(self, var: Variable, dtype: DType) -> Callable[[], Tensor]:
        """An initializer for a variable whose shape is known only when it has a value."""
        return lambda: cast(raw.Fill(shape(var), self._initial_accumulator_value), dtype)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._as_tensor(self._learning_rate, "learning_rate")


class AdagradDAOptimizer(OpUpdates, Optimizer):
    """Adagrad by dual averaging, which with an l1 penalty gives sparse linear models.

    Duchi, Hazan and Singer, "Adaptive subgradient methods", JMLR 12, 2011.

    Args:
        learning_rate: a number or tensor.
        global_step: the variable that counts the steps.
        initial_gradient_squared_accumulator_value: where the sums of squares start, positive.
        l1_regularization_strength, l2_regularization_strength: numbers >= 0.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.

    Raises:
        ValueError: if the initial value is not positive.

    Example:
        >>> step = tf.train.get_or_create_global_step()
        >>> tf.train.AdagradDAOptimizer(0.1, step).minimize(loss, global_step=step)
    """

    def __init__(
        self,
        learning_rate: float,
        global_step: Variable,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        _require_positive("initial_gradient_squared_accumulator_value", initial_gradient_squared_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = initial_gradient_squared_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step
        self._global_step_on_worker: Tensor | None = None
        self._learning_rate_tensor: Tensor | None = None

    def _kind(self) -> str:
        return "AdagradDA"

    def _slot_order(self) -> tuple[str, ...]:
        return ("gradient_accumulator", "gradient_squared_accumulator")

    def _values(self) -> dict[str, Any]:
        return {
            "lr": self._learning_rate_tensor,
            "l1": self._l1_regularization_strength,
            "l2": self._l2_regularization_strength,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        starts = (0.0, self._initial_gradient_squared_accumulator_value)
        for var in var_list:
            with colocate_with(var):
                values = [constant(start, shape=var.get_shape(), dtype=var.dtype.base_dtype) for start in starts]
            for slot_name, value in zip(self._slot_order(), values, strict=True):
                self._get_or_make_slot(var, value, slot_name, self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._as_tensor(self._learning_rate, "learning_rate")
        with colocate_with(self._learning_rate_tensor):
            # The step that is being made counts.
            self._global_step_on_worker = identity(self._global_step) + 1

    def _apply(self, form: str, grad: TensorLike, var: Any, dtype: DType, indices: TensorLike | None = None) -> Any:
        with device(var.device):
            step = identity(self._global_step_on_worker)
        return self._apply_with(form, grad, var, dtype, indices, {**self._values(), "global_step": step})


class ProximalAdagradOptimizer(OpUpdates, Optimizer):
    """Adagrad with l1 and l2 penalties by proximal steps (Duchi and Singer, JMLR 10, 2009).

    Args:
        learning_rate: a number or tensor.
        initial_accumulator_value: where the sums start, positive.
        l1_regularization_strength, l2_regularization_strength: numbers >= 0.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.

    Raises:
        ValueError: if `initial_accumulator_value` is not positive.

    Example:
        >>> tf.train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.001).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: float,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        _require_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._learning_rate_tensor: Tensor | None = None
        self._l1_regularization_strength_tensor: Tensor | None = None
        self._l2_regularization_strength_tensor: Tensor | None = None

    def _kind(self) -> str:
        return "ProximalAdagrad"

    def _slot_order(self) -> tuple[str, ...]:
        return ("accumulator",)

    def _values(self) -> dict[str, Any]:
        return {
            "lr": self._learning_rate_tensor,
            "l1": self._l1_regularization_strength_tensor,
            "l2": self._l2_regularization_strength_tensor,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            with colocate_with(var):
                value = constant(self._initial_accumulator_value, shape=var.get_shape(), dtype=var.dtype.base_dtype)
            self._get_or_make_slot(var, value, "accumulator", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._as_tensor(self._learning_rate, "learning_rate")
        self._l1_regularization_strength_tensor = self._as_tensor(
            self._l1_regularization_strength, "l1_regularization_strength"
        )
        self._l2_regularization_strength_tensor = self._as_tensor(
            self._l2_regularization_strength, "l2_regularization_strength"
        )


class FtrlOptimizer(OpUpdates, Optimizer):
    """Follow the regularized leader (McMahan et al., "Ad click prediction", KDD 2013), which may shrink the weights.

    Args:
        learning_rate: a number or tensor.
        learning_rate_power: how the rate falls with the sums, <= 0; -0.5 is the paper's.
        initial_accumulator_value: where the sums start, >= 0.
        l1_regularization_strength, l2_regularization_strength: numbers >= 0, which act on the result of a step.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.
        accum_name, linear_name: other names for the two slots.
        l2_shrinkage_regularization_strength: a number >= 0; an l2 penalty that is part of the gradient.

    Raises:
        ValueError: if a number is out of range.

    Example:
        >>> tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
    ) -> None:
        super().__init__(use_locking, name)
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power:f} needs to be negative or zero")
        for what, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{what} {value:f} needs to be positive or zero")
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._accum_name = accum_name
        self._linear_name = linear_name
        self._tensors: dict[str, Any] = {}

    def _kind(self) -> str:
        return "Ftrl" if self._l2_shrinkage_regularization_strength <= 0.0 else "FtrlV2"

    def _slot_order(self) -> tuple[str, ...]:
        return ("accum", "linear")

    def _values(self) -> dict[str, Any]:
        return self._tensors

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            with colocate_with(var):
                value = constant(self._initial_accumulator_value, dtype=var.dtype, shape=var.get_shape())
                self._get_or_make_slot(var, value, "accum", self._accum_name or self._name)
                self._zeros_slot(var, "linear", self._linear_name or self._name)

    def _prepare(self) -> None:
        self._tensors = {
            "lr": self._as_tensor(self._learning_rate, "learning_rate"),
            "l1": self._as_tensor(self._l1_regularization_strength, "l1_regularization_strength"),
            "l2": self._as_tensor(self._l2_regularization_strength, "l2_regularization_strength"),
            "l2_shrinkage": self._as_tensor(
                self._l2_shrinkage_regularization_strength, "l2_shrinkage_regularization_strength"
            ),
            "lr_power": self._as_tensor(self._learning_rate_power, "learning_rate_power"),
        }
