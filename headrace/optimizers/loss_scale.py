"""Factors that keep the gradients of small types from vanishing.

Micikevicius et al., "Mixed precision training", arXiv:1710.03740.
"""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.nest import flatten
from headrace.core.operation import Operation
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_all
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.binary import maximum
from headrace.ops.math.unary import is_finite
from headrace.state.dependencies import TrackableReference
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, Nested
    from headrace.state.dependencies import NamedDependencies


class LossScale(Trackable, abc.ABC):
    """What a loss is multiplied with before its gradients are taken, and when that changes.

    A subclass says with `__call__` what the factor is and with `update` what becomes of it after a step.
    """

    def __init__(self) -> None:
        # (name, graph) -> variable.
        self._weights: dict[tuple[str, Any], Any] = {}

    @abc.abstractmethod
    def __call__(self) -> Any:
        """The factor, a float32 scalar tensor."""

    @abc.abstractmethod
    def update(self, grads: Nested[Tensor]) -> tuple[Any, Any]:
        """Learns from the gradients of a step.

        Args:
            grads: nested gradients without the factor.

        Returns:
            (an operation that changes the factor, whether the gradients are to be applied).
        """

    @abc.abstractmethod
    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> NamedDependencies:
        """A loss scale from what `get_config` gave."""
        return cls(**config)

    def _add_weight(self, name: str, initial_value: float, dtype: DTypeLike | None = None) -> Any:
        """A variable of the loss scale, saved with it.

        Raises:
            RuntimeError: if there is one of the name.
        """
        key = (name, _graph())
        if key in self._weights:
            raise RuntimeError(f"Duplicate variables detected. {key}")
        self._weights[key] = Variable(
            initial_value=initial_value, name=name, dtype=dtype, trainable=False, use_resource=True
        )
        return self._weights[key]

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        own = [
            TrackableReference(name=name, ref=variable)
            for (name, graph), variable in sorted(self._weights.items(), key=lambda item: item[0][0])
            if graph is _graph()
        ]
        return super()._checkpoint_dependencies + own

    def _lookup_dependency(self, name: str) -> Any:
        found = super()._lookup_dependency(name)
        return self._weights.get((name, _graph())) if found is None else found


def _graph() -> Any:
    return None if executing_eagerly() else get_default_graph()


class FixedLossScale(LossScale):
    """A factor that stays as it is.

    Args:
        loss_scale_value: the factor, an int or float of at least 1.

    Raises:
        ValueError: if it is not.
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._loss_scale_value)

    def update(self, grads: Nested[Tensor]) -> tuple[Any, Any]:
        """Nothing changes; gradients are always applied."""
        return no_op(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._loss_scale_value})"

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {"loss_scale_value": self._loss_scale_value}


def _operation(value: Variable) -> Any:
    return value if executing_eagerly() else value if isinstance(value, Operation) else value.op


class DynamicLossScale(LossScale):
    """A factor that grows after many good steps and shrinks, to no less than 1, after gradients that were not finite.

    Args:
        initial_loss_scale: the factor at the beginning.
        increment_period: how many good steps in a row make it grow.
        multiplier: what it is multiplied with, and divided by.
    """

    def __init__(
        self, initial_loss_scale: float = 2**15, increment_period: int = 2000, multiplier: float = 2.0
    ) -> None:
        super().__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = self._add_weight("current_loss_scale", self._initial_loss_scale, "float32")
        self._num_good_steps = self._add_weight("good_steps", 0, "int64")

    @property
    def initial_loss_scale(self) -> float:
        """The factor at the beginning."""
        return self._initial_loss_scale

    @property
    def increment_period(self) -> int:
        """How many good steps in a row make the factor grow."""
        return self._increment_period

    @property
    def multiplier(self) -> float:
        """What the factor is multiplied with, and divided by."""
        return self._multiplier

    def __call__(self) -> Tensor:
        return convert_to_tensor(self._current_loss_scale)

    def update(self, grads: Nested[Tensor]) -> tuple[Any, Any]:
        """Counts a good step, or shrinks the factor; gradients are to be applied where all are finite."""
        scale, good = self._current_loss_scale, self._num_good_steps
        finite = reduce_all([reduce_all(is_finite(g)) for g in flatten(grads) if g is not None])

        def grow() -> Operation:
            larger = scale * self._multiplier
            grown = cond(is_finite(larger), lambda: _operation(scale.assign(larger)), no_op)
            return group(grown, good.assign(0))

        def after_good() -> Tensor:
            enough = good + 1 >= self._increment_period
            return cond(enough, grow, lambda: _operation(good.assign_add(1)))

        def after_bad() -> Operation:
            smaller = maximum(scale / self._multiplier, 1)
            return group(good.assign(0), scale.assign(smaller))

        return cond(finite, after_good, after_bad), finite

    def __repr__(self) -> str:
        settings = (
            f"initial_loss_scale={self.initial_loss_scale}, increment_period={self.increment_period}, "
            f"multiplier={self.multiplier}"
        )
        if executing_eagerly():
            now = (
                f"current_loss_scale={self._current_loss_scale.numpy()}, num_good_steps={self._num_good_steps.numpy()}"
            )
            settings = f"{now}, {settings}"
        return f"DynamicLossScale({settings})"

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_loss_scale": self.initial_loss_scale,
            "increment_period": self.increment_period,
            "multiplier": self.multiplier,
        }


def get(identifier: float | str) -> LossScale | None:
    """The loss scale that a number, "dynamic", a `LossScale` or None stands for.

    Raises:
        ValueError: for anything else.
    """
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")
