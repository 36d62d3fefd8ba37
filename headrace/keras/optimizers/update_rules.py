"""The rules of Keras' own optimizers, of before `tf.keras.optimizers.Optimizer`: gradient descent, Adam and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.keras.backend.sessions import get_value
from headrace.keras.backend_config import epsilon as default_epsilon
from headrace.keras.optimizers.update_lists import Optimizer, new_variable, zeros_like
from headrace.ops.math.binary import pow
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class _Rule(Optimizer):
    """An optimizer with a learning rate that falls and a count of steps.

    A subclass calls `_set_up` with its numbers, which become variables, and says in `_updates` what a step does.
    """

    # The names of the numbers, in the order of the settings.
    _NUMBERS: tuple[str, ...] = ("lr", "decay")
    _scope = ""

    def _set_up(self, **numbers: float) -> None:
        """Makes variables of numbers and of the count of steps."""
        scope = type(self).__name__
        with name_scope(scope):
            self.iterations = new_variable(0, "iterations", "int64")
            for name, value in numbers.items():
                setattr(self, name, new_variable(value, name))

    def get_updates(self, loss: TensorLike, params: Sequence[Any]) -> list[Any]:
        """The updates of one step towards a smaller loss.

        Args:
            loss: a tensor.
            params: the variables to train.
        """
        grads = [convert_to_tensor(grad) for grad in self.get_gradients(loss, params)]
        self.updates = []
        self._step(list(params), grads)
        return self.updates

    def _step(self, params: list[Any], grads: list[Any]) -> None:
        raise NotImplementedError

    def _rate(self) -> Any:
        """The learning rate of the step."""
        return self._decayed(self.lr, self.decay, self.initial_decay)  # type: ignore[attr-defined]  # set by _set_up

    def _next_step(self) -> Any:
        """The number of the step, from 1 on, as a floating tensor; counts it."""
        counted = self.iterations.assign_add(1)
        self.updates.append(counted)
        return counted

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        numbers = {name: float(get_value(getattr(self, name))) for name in self._NUMBERS}
        return {**super().get_config(), **numbers}


class SGD(_Rule):
    """Gradient descent.

    Args:
        lr: the learning rate.
        momentum: what of a step is kept in the next.
        decay: the rate falls as 1 / (1 + decay * step).
        nesterov: whether the step goes on by the momentum that it just got.
        **kwargs: `clipnorm` and `clipvalue`.
    """

    _NUMBERS = ("lr", "momentum", "decay")

    def __init__(
        self, lr: float = 0.01, momentum: float = 0.0, decay: float = 0.0, nesterov: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._set_up(lr=lr, momentum=momentum, decay=decay)
        self.initial_decay = decay
        self.nesterov = nesterov

    def _step(self, params: list[Any], grads: list[Any]) -> None:
        lr = self._rate()
        self.updates.append(self.iterations.assign_add(1))
        moments = zeros_like(params)
        self.weights = [self.iterations, *moments]
        momentum = self.momentum  # type: ignore[attr-defined]  # set by _set_up
        for param, grad, moment in zip(params, grads, moments):
            velocity = momentum * moment - lr * grad
            self.updates.append(moment.assign(velocity))
            step = momentum * velocity - lr * grad if self.nesterov else velocity
            self.updates.append(self._constrained(param, param + step))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {**super().get_config(), "nesterov": self.nesterov}


class RMSprop(_Rule):
    """Steps divided by the root of a moving average of squared gradients.

    Args:
        lr: the learning rate.
        rho: how much of the average stays in each step.
        epsilon: added to the root; `tf.keras.backend.epsilon()` for None.
        decay: the rate falls as 1 / (1 + decay * step).
        **kwargs: `clipnorm` and `clipvalue`.
    """

    _NUMBERS = ("lr", "rho", "decay")

    def __init__(
        self, lr: float = 0.001, rho: float = 0.9, epsilon: float | None = None, decay: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._set_up(lr=lr, rho=rho, decay=decay)
        self.epsilon = default_epsilon() if epsilon is None else epsilon
        self.initial_decay = decay

    def _step(self, params: list[Any], grads: list[Any]) -> None:
        averages = zeros_like(params)
        self.weights = averages
        lr = self._rate()
        self.updates.append(self.iterations.assign_add(1))
        rho = self.rho  # type: ignore[attr-defined]  # set by _set_up
        for param, grad, average in zip(params, grads, averages):
            value = rho * average + (1.0 - rho) * raw.Square(grad)
            self.updates.append(average.assign(value))
            self.updates.append(self._constrained(param, param - lr * grad / (raw.Sqrt(value) + self.epsilon)))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {**super().get_config(), "epsilon": self.epsilon}


class Adagrad(_Rule):
    """Steps divided by the root of the sum of all squared gradients so far.

    Args:
        lr: the learning rate.
        epsilon: added to the root; `tf.keras.backend.epsilon()` for None.
        decay: the rate falls as 1 / (1 + decay * step).
        **kwargs: `clipnorm` and `clipvalue`.
    """

    def __init__(self, lr: float = 0.01, epsilon: float | None = None, decay: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._set_up(lr=lr, decay=decay)
        self.epsilon = default_epsilon() if epsilon is None else epsilon
        self.initial_decay = decay

    def _step(self, params: list[Any], grads: list[Any]) -> None:
        sums = zeros_like(params)
        self.weights = sums
        lr = self._rate()
        self.updates.append(self.iterations.assign_add(1))
        for param, grad, total in zip(params, grads, sums):
            value = total + raw.Square(grad)
            self.updates.append(total.assign(value))
            self.updates.append(self._constrained(param, param - lr * grad / (raw.Sqrt(value) + self.epsilon)))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {**super().get_config(), "epsilon": self.epsilon}


class Adadelta(_Rule):
    """Steps as large, by moving averages of squares, as the steps before them.

    Args:
        lr: the learning rate.
        rho: how much of the averages stays in each step.
        epsilon: added to the averages; `tf.keras.backend.epsilon()` for None.
        decay: the rate falls as 1 / (1 + decay * step).
        **kwargs: `clipnorm` and `clipvalue`.
    """

    def __init__(
        self, lr: float = 1.0, rho: float = 0.95, epsilon: float | None = None, decay: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._set_up(lr=lr, decay=decay)
        self.rho = rho
        self.epsilon = default_epsilon() if epsilon is None else epsilon
        self.initial_decay = decay

    def _step(self, params: list[Any], grads: list[Any]) -> None:
        gradient_averages, step_averages = zeros_like(params), zeros_like(params)
        self.weights = [*gradient_averages, *step_averages]
        lr = self._rate()
        self.updates.append(self.iterations.assign_add(1))
        rho = self.rho
        for param, grad, average, steps in zip(params, grads, gradient_averages, step_averages):
            value = rho * average + (1.0 - rho) * raw.Square(grad)
            self.updates.append(average.assign(value))
            step = grad * raw.Sqrt(steps + self.epsilon) / raw.Sqrt(value + self.epsilon)
            self.updates.append(self._constrained(param, param - lr * step))
            self.updates.append(steps.assign(rho * steps + (1 - rho) * raw.Square(step)))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {**super().get_config(), "rho": self.rho, "epsilon": self.epsilon}


class Adam(_Rule):
    """Adam.

    Kingma and Ba, "Adam: a method for stochastic optimization", arXiv:1412.6980.

    Args:
        lr: the learning rate.
        beta_1, beta_2: how much of the moments stays in each step.
        epsilon: added to the root; `tf.keras.backend.epsilon()` for None.
        decay: the rate falls as 1 / (1 + decay * step).
        amsgrad: whether steps are divided by the root of the largest second moment so far.
        **kwargs: `clipnorm` and `clipvalue`.
    """

    _NUMBERS = ("lr", "beta_1", "beta_2", "decay")

    def __init__(
        self,
        lr: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = None,
        decay: float = 0.0,
        amsgrad: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._set_up(lr=lr, beta_1=beta_1, beta_2=beta_2, decay=decay)
        self.epsilon = default_epsilon() if epsilon is None else epsilon
        self.initial_decay = decay
        self.amsgrad = amsgrad

    def _step(self, params: list[Any], grads: list[Any]) -> None:
        lr = self._rate()
        beta_1, beta_2 = self.beta_1, self.beta_2  # type: ignore[attr-defined]  # set by _set_up
        step = cast(self._next_step(), "float32")
        rate = lr * (raw.Sqrt(1.0 - pow(beta_2, step)) / (1.0 - pow(beta_1, step)))
        first, second = zeros_like(params), zeros_like(params)
        # Without the largest moments there are numbers in their place, so that lists of weights are as long.
        largest = zeros_like(params) if self.amsgrad else [new_variable([0.0]) for _ in params]
        self.weights = [self.iterations, *first, *second, *largest]
        for param, grad, m, v, top in zip(params, grads, first, second, largest):
            m_t = beta_1 * m + (1.0 - beta_1) * grad
            v_t = beta_2 * v + (1.0 - beta_2) * raw.Square(grad)
            divisor = v_t
            if self.amsgrad:
                divisor = raw.Maximum(top, v_t)
                self.updates.append(top.assign(divisor))
            self.updates += [m.assign(m_t), v.assign(v_t)]
            self.updates.append(self._constrained(param, param - rate * m_t / (raw.Sqrt(divisor) + self.epsilon)))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {**super().get_config(), "epsilon": self.epsilon, "amsgrad": self.amsgrad}


class Adamax(_Rule):
    """Adam with the largest gradient so far, decaying, instead of the root of the second moment.

    Args:
        lr: the learning rate.
        beta_1, beta_2: how much of the moment and of the largest gradient stays in each step.
        epsilon: added to the largest gradient; `tf.keras.backend.epsilon()` for None.
        decay: the rate falls as 1 / (1 + decay * step).
        **kwargs: `clipnorm` and `clipvalue`.
    """

    _NUMBERS = ("lr", "beta_1", "beta_2", "decay")

    def __init__(
        self,
        lr: float = 0.002,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = None,
        decay: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._set_up(lr=lr, beta_1=beta_1, beta_2=beta_2, decay=decay)
        self.epsilon = default_epsilon() if epsilon is None else epsilon
        self.initial_decay = decay

    def _step(self, params: list[Any], grads: list[Any]) -> None:
        lr = self._rate()
        beta_1, beta_2 = self.beta_1, self.beta_2  # type: ignore[attr-defined]  # set by _set_up
        step = cast(self._next_step(), "float32")
        rate = lr / (1.0 - pow(beta_1, step))
        moments, largest = zeros_like(params), zeros_like(params)
        self.weights = [self.iterations, *moments, *largest]
        for param, grad, m, u in zip(params, grads, moments, largest):
            m_t = beta_1 * m + (1.0 - beta_1) * grad
            u_t = raw.Maximum(beta_2 * u, raw.Abs(grad))
            self.updates += [m.assign(m_t), u.assign(u_t)]
            self.updates.append(self._constrained(param, param - rate * m_t / (u_t + self.epsilon)))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {**super().get_config(), "epsilon": self.epsilon}


class Nadam(_Rule):
    """Adam whose first moment is Nesterov's momentum, by a schedule.

    Dozat, "Incorporating Nesterov momentum into Adam", ICLR 2016 workshop.

    Args:
        lr: the learning rate.
        beta_1, beta_2: how much of the moments stays in each step.
        epsilon: added to the root; `tf.keras.backend.epsilon()` for None.
        schedule_decay: how fast the momentum grows.
        **kwargs: `clipnorm` and `clipvalue`.
    """

    _NUMBERS = ("lr", "beta_1", "beta_2")

    def __init__(
        self,
        lr: float = 0.002,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float | None = None,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._set_up(m_schedule=1.0, lr=lr, beta_1=beta_1, beta_2=beta_2)
        self.epsilon = default_epsilon() if epsilon is None else epsilon
        self.schedule_decay = schedule_decay

    def _step(self, params: list[Any], grads: list[Any]) -> None:
        lr, schedule = self.lr, self.m_schedule  # type: ignore[attr-defined]  # set by _set_up
        beta_1, beta_2 = self.beta_1, self.beta_2  # type: ignore[attr-defined]  # set by _set_up
        step = cast(self._next_step(), "float32")
        momentum = beta_1 * (1.0 - 0.5 * pow(convert_to_tensor(0.96), step * self.schedule_decay))
        ahead = beta_1 * (1.0 - 0.5 * pow(convert_to_tensor(0.96), (step + 1) * self.schedule_decay))
        now = schedule * momentum
        following = now * ahead
        self.updates.append(schedule.assign(now))
        first, second = zeros_like(params), zeros_like(params)
        self.weights = [self.iterations, schedule, *first, *second]
        for param, grad, m, v in zip(params, grads, first, second):
            m_t = beta_1 * m + (1.0 - beta_1) * grad
            v_t = beta_2 * v + (1.0 - beta_2) * raw.Square(grad)
            mean = (1.0 - momentum) * (grad / (1.0 - now)) + ahead * (m_t / (1.0 - following))
            root = raw.Sqrt(v_t / (1.0 - pow(beta_2, step))) + self.epsilon
            self.updates += [m.assign(m_t), v.assign(v_t)]
            self.updates.append(self._constrained(param, param - lr * mean / root))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {**super().get_config(), "epsilon": self.epsilon, "schedule_decay": self.schedule_decay}


sgd = SGD
rmsprop = RMSprop
adagrad = Adagrad
adadelta = Adadelta
adam = Adam
adamax = Adamax
nadam = Nadam
