"""Learning rates that follow the number of steps: `tf.keras.optimizers.schedules` and those of `tf.keras.experimental`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.tensor import Tensor
from headrace.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from headrace.ops.math.cast import cast
from headrace.optimizers import decays

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class LearningRateSchedule:
    """A learning rate for each step: subclasses define `__call__`, which takes the step, and `get_config`.

    Example:
        >>> class Linear(tf.keras.optimizers.schedules.LearningRateSchedule):
        ...     def __call__(self, step):
        ...         return 0.1 - 1e-4 * step
        ...     def get_config(self):
        ...         return {}
        >>> optimizer = tf.keras.optimizers.SGD(Linear())
    """

    def __call__(self, step: TensorLike) -> Any:
        """The learning rate of a step, a scalar tensor.

        Raises:
            NotImplementedError: unless a subclass defines it.
        """
        raise NotImplementedError("Learning rate schedule must override __call__")

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor.

        Raises:
            NotImplementedError: unless a subclass defines it.
        """
        raise NotImplementedError("Learning rate schedule must override get_config")

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """The schedule that `get_config` describes."""
        return cls(**config)


def _now(rate: Tensor | Callable[[], Tensor]) -> Tensor:
    """A rate itself, where `tf.train` gives a function of no arguments while executing eagerly."""
    return rate if isinstance(rate, Tensor) else rate()


class ExponentialDecay(LearningRateSchedule):
    """initial_learning_rate * decay_rate ^ (step / decay_steps).

    Args:
        initial_learning_rate: a number or scalar tensor.
        decay_steps: the steps in which the rate falls once by `decay_rate`.
        decay_rate: a number or scalar tensor.
        staircase: whether the exponent is rounded down.
        name: the name of the operation.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        return _now(
            decays.exponential_decay(
                self.initial_learning_rate, step, self.decay_steps, self.decay_rate, self.staircase, self.name
            )
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


class InverseTimeDecay(LearningRateSchedule):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps).

    Args:
        initial_learning_rate: a number or scalar tensor.
        decay_steps: in how many steps the divisor grows by `decay_rate`.
        decay_rate: a number or scalar tensor.
        staircase: whether the quotient of steps is rounded down.
        name: the name of the operation.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.decay_rate = decay_rate
        self.staircase = staircase
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        return _now(
            decays.inverse_time_decay(
                self.initial_learning_rate, step, self.decay_steps, self.decay_rate, self.staircase, self.name
            )
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "decay_rate": self.decay_rate,
            "staircase": self.staircase,
            "name": self.name,
        }


class PiecewiseConstantDecay(LearningRateSchedule):
    """One of several rates: the first up to the first boundary, and so on.

    Args:
        boundaries: steps, growing, each the last of its rate.
        values: the rates, one more than boundaries.
        name: the name of the operation.

    Raises:
        ValueError: if there is not one more of them.
    """

    def __init__(self, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None) -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError("The length of boundaries should be 1 less than the length of values")
        self.boundaries = boundaries
        self.values = values
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        step = convert_to_tensor(step)
        boundaries = [cast(boundary, step.dtype) for boundary in self.boundaries]
        return _now(decays.piecewise_constant(step, boundaries, list(self.values), self.name))

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {"boundaries": self.boundaries, "values": self.values, "name": self.name}


class PolynomialDecay(LearningRateSchedule):
    """(initial_learning_rate - end) * (1 - step / decay_steps) ^ power + end.

    Args:
        initial_learning_rate: a number or scalar tensor.
        decay_steps: when the end is reached.
        end_learning_rate: the rate at the end.
        power: the exponent.
        cycle: whether it begins again after `decay_steps`, with a multiple of these.
        name: the name of the operation.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: Any = 0.0001,
        power: Any = 1.0,
        cycle: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.end_learning_rate = end_learning_rate
        self.power = power
        self.cycle = cycle
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        return _now(
            decays.polynomial_decay(
                self.initial_learning_rate,
                step,
                self.decay_steps,
                self.end_learning_rate,
                self.power,
                self.cycle,
                self.name,
            )
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "end_learning_rate": self.end_learning_rate,
            "power": self.power,
            "cycle": self.cycle,
            "name": self.name,
        }


class CosineDecay(LearningRateSchedule):
    """Half a wave of the cosine, from the initial rate to `alpha` times that.

    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", arXiv:1608.03983.

    Args:
        initial_learning_rate: a number or scalar tensor.
        decay_steps: when the end is reached.
        alpha: the fraction of the rate at the end.
        name: the name of the operation.
    """

    def __init__(self, initial_learning_rate: Any, decay_steps: Any, alpha: Any = 0.0, name: str | None = None) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.alpha = alpha
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        return _now(decays.cosine_decay(self.initial_learning_rate, step, self.decay_steps, self.alpha, self.name))

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "alpha": self.alpha,
            "name": self.name,
        }


class CosineDecayRestarts(LearningRateSchedule):
    """Half waves of the cosine one after the other, longer and lower.

    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", arXiv:1608.03983.

    Args:
        initial_learning_rate: a number or scalar tensor.
        first_decay_steps: the length of the first.
        t_mul: how much longer each is than the one before.
        m_mul: what the rate at the beginning of each is multiplied with.
        alpha: the fraction of the rate at the end.
        name: the name of the operation.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: Any = 2.0,
        m_mul: Any = 1.0,
        alpha: Any = 0.0,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.first_decay_steps = first_decay_steps
        self._t_mul = t_mul
        self._m_mul = m_mul
        self.alpha = alpha
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        return _now(
            decays.cosine_decay_restarts(
                self.initial_learning_rate,
                step,
                self.first_decay_steps,
                self._t_mul,
                self._m_mul,
                self.alpha,
                self.name,
            )
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "first_decay_steps": self.first_decay_steps,
            "t_mul": self._t_mul,
            "m_mul": self._m_mul,
            "alpha": self.alpha,
            "name": self.name,
        }


class LinearCosineDecay(LearningRateSchedule):
    """Waves of the cosine on a falling line.

    Bello et al., "Neural optimizer search with reinforcement learning", arXiv:1709.07417.

    Args:
        initial_learning_rate: a number or scalar tensor.
        decay_steps: when the end is reached.
        num_periods: the number of waves.
        alpha, beta: what the line is raised by, and the product.
        name: the name of the operation.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        num_periods: Any = 0.5,
        alpha: Any = 0.0,
        beta: Any = 0.001,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.num_periods = num_periods
        self.alpha = alpha
        self.beta = beta
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        return _now(
            decays.linear_cosine_decay(
                self.initial_learning_rate,
                step,
                self.decay_steps,
                self.num_periods,
                self.alpha,
                self.beta,
                self.name,
            )
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "num_periods": self.num_periods,
            "alpha": self.alpha,
            "beta": self.beta,
            "name": self.name,
        }


class NoisyLinearCosineDecay(LearningRateSchedule):
    """`LinearCosineDecay` with noise on the line, the less the later.

    Bello et al., "Neural optimizer search with reinforcement learning", arXiv:1709.07417.

    Args:
        initial_learning_rate: a number or scalar tensor.
        decay_steps: when the end is reached.
        initial_variance: the variance of the noise at the beginning.
        variance_decay: the exponent with which it falls.
        num_periods: the number of waves.
        alpha, beta: what the line is raised by, and the product.
        name: the name of the operation.
    """

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        initial_variance: Any = 1.0,
        variance_decay: Any = 0.55,
        num_periods: Any = 0.5,
        alpha: Any = 0.0,
        beta: Any = 0.001,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate = initial_learning_rate
        self.decay_steps = decay_steps
        self.initial_variance = initial_variance
        self.variance_decay = variance_decay
        self.num_periods = num_periods
        self.alpha = alpha
        self.beta = beta
        self.name = name

    def __call__(self, step: Any) -> Tensor:
        return _now(
            decays.noisy_linear_cosine_decay(
                self.initial_learning_rate,
                step,
                self.decay_steps,
                self.initial_variance,
                self.variance_decay,
                self.num_periods,
                self.alpha,
                self.beta,
                self.name,
            )
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {
            "initial_learning_rate": self.initial_learning_rate,
            "decay_steps": self.decay_steps,
            "initial_variance": self.initial_variance,
            "variance_decay": self.variance_decay,
            "num_periods": self.num_periods,
            "alpha": self.alpha,
            "beta": self.beta,
            "name": self.name,
        }


def _by_name() -> dict[str, Any]:
    """The schedules by name, and nothing else of this module: files of models hold such names."""
    return {
        name: value
        for name, value in globals().items()
        if inspect.isclass(value) and issubclass(value, LearningRateSchedule)
    }


def serialize(learning_rate_schedule: LearningRateSchedule) -> Any:
    """A schedule as a dict of its class and settings."""
    return serialize_keras_object(learning_rate_schedule)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The schedule that `serialize` describes.

    Args:
        config: a dict of a class and settings.
        custom_objects: names of classes of one's own to these.
    """
    return deserialize_keras_object(
        config, module_objects=_by_name(), custom_objects=custom_objects, printable_module_name="decay"
    )
