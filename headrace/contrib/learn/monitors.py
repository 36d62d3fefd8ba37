"""Monitors: what is called around the steps of a training, as it was before there were hooks."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.sessions.hooks import NanLossDuringTrainingError
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


class BaseMonitor:
    """The base of monitors; every method may be overridden.

    Example:
        >>> class Steps(tf.contrib.learn.monitors.BaseMonitor):
        ...     def step_end(self, step, output):
        ...         print(step)
        ...         return super().step_end(step, output)
        >>> classifier = tf.contrib.learn.LinearClassifier([tf.contrib.layers.real_valued_column("x")])
        >>> classifier.fit(input_fn=input_fn, steps=10, monitors=[Steps()])
    """

    def __init__(self) -> None:
        self._begun = False
        self._current_epoch: int | None = None
        self._current_step: int | None = None
        self._max_steps: int | None = None
        self._estimator: Any = None

    @property
    def run_on_all_workers(self) -> bool:
        """Whether it is called on workers that are not the chief too."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Says which estimator is trained.

        Args:
            estimator: the estimator.

        Raises:
            ValueError: if it is None.
        """
        if estimator is None:
            raise ValueError("Missing estimator.")
        # The estimator may hold the monitor.
        self._estimator = weakref.proxy(estimator) if not isinstance(estimator, weakref.ProxyTypes) else estimator

    def begin(self, max_steps: int | None = None) -> None:
        """Called when training begins.

        Args:
            max_steps: up to which step training will go, if it is known.

        Raises:
            ValueError: if it has begun already.
        """
        if self._begun:
            raise ValueError("begin called twice without end.")
        self._max_steps = max_steps
        self._begun = True

    def end(self, session: SessionLike | None = None) -> None:
        """Called when training ends.

        Args:
            session: the session.

        Raises:
            ValueError: if it has not begun.
        """
        if not self._begun:
            raise ValueError("end called without begin.")
        self._max_steps = None
        self._begun = False

    def epoch_begin(self, epoch: int) -> None:
        """Called when an epoch begins.

        Args:
            epoch: its number.

        Raises:
            ValueError: if one has begun and not ended, or the number is negative.
        """
        if self._current_epoch is not None:
            raise ValueError("epoch_begin called twice without epoch_end.")
        if epoch < 0:
            raise ValueError(f"Invalid epoch {epoch}.")
        self._current_epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """Called when an epoch ends.

        Args:
            epoch: its number.

        Raises:
            ValueError: if it is not the one that has begun.
        """
        if self._current_epoch != epoch:
            raise ValueError(f"epoch_end expected {self._current_epoch} but got {epoch}.")
        self._current_epoch = None

    def step_begin(self, step: int) -> list[Any]:
        """Called before a step.

        Args:
            step: its number.

        Returns:
            tensors, or names of them, whose values `step_end` is to get.

        Raises:
            ValueError: if one has begun and not ended, or the number is negative or too large.
        """
        if step < 0 or (self._max_steps is not None and step > self._max_steps):
            raise ValueError(f"Invalid step {step}.")
        self._current_step = step
        return []

    def step_end(self, step: int, output: Any) -> bool:
        """Called after a step.

        Args:
            step: its number.
            output: from what `step_begin` returned to its values.

        Returns:
            whether to stop.

        Raises:
            ValueError: if it is not the one that has begun.
        """
        if self._current_step != step:
            raise ValueError(f"step_end expected {self._current_step} but got {step}.")
        self._current_step = None
        return False

    def post_step(self, step: int, session: SessionLike) -> None:
        """Called after all monitors' `step_end`.

        Args:
            step: its number.
            session: the session.
        """


def _scalar_of(outputs: Any, name: Any) -> Any:
    """A value by the name or tensor it was asked for."""
    if name in outputs:
        return outputs[name]
    key = name if isinstance(name, str) else name.name
    for candidate in (key, f"{key}:0", key.partition(":")[0]):
        if candidate in outputs:
            return outputs[candidate]
    raise ValueError(f"{key} is not among the values of the step: {list(outputs)}.")


class EveryN(BaseMonitor):
    """The base of monitors that do something every so many steps.

    Args:
        every_n_steps: after how many.
        first_n_steps: which steps from the first on count too.
    """

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        super().__init__()
        self._every_n_steps = every_n_steps
        self._first_n_steps = first_n_steps
        self._last_successful_step: int | None = None
        # The last step at which something was done.
        self._last_active_step = 0
        self._every_n_step_begin_called = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Called before such a step; returns what is wanted of it.

        Args:
            step: its number.
        """
        return []

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """Called after such a step; returns whether to stop.

        Args:
            step: its number.
            outputs: what was wanted.
        """
        return False

    def every_n_post_step(self, step: int, session: SessionLike | None) -> None:
        """Called after all monitors' `step_end`, and at the end.

        Args:
            step: its number.
            session: the session.
        """

    def step_begin(self, step: int) -> list[Any]:
        """See `BaseMonitor`."""
        super().step_begin(step)
        self._every_n_step_begin_called = (
            step <= self._first_n_steps
            or step >= self._every_n_steps + self._last_active_step
            or step == self._max_steps
        )
        return self.every_n_step_begin(step) if self._every_n_step_begin_called else []

    def step_end(self, step: int, output: Any) -> bool:
        """See `BaseMonitor`."""
        super().step_end(step, output)
        return self.every_n_step_end(step, output) if self._every_n_step_begin_called else False

    def post_step(self, step: int, session: SessionLike) -> None:
        """See `BaseMonitor`."""
        super().post_step(step, session)
        if self._every_n_step_begin_called:
            self.every_n_post_step(step, session)
            self._last_active_step = step
        self._last_successful_step = step

    def end(self, session: SessionLike | None = None) -> None:
        """See `BaseMonitor`."""
        super().end(session=session)
        if self._last_successful_step is not None and self._last_successful_step != self._last_active_step:
            self.every_n_post_step(self._last_successful_step, session)


class StopAtStep(BaseMonitor):
    """Stops after some steps.

    Args:
        num_steps: how many to take.
        last_step: or the last one.

    Raises:
        ValueError: unless exactly one is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        super().__init__()
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    @property
    def run_on_all_workers(self) -> bool:
        """True."""
        return True

    def step_begin(self, step: int) -> list[Any]:
        """See `BaseMonitor`."""
        super().step_begin(step)
        if self._last_step is None:
            assert self._num_steps is not None  # one of the two is given
            self._last_step = step + self._num_steps - 1
        return []

    def step_end(self, step: int, output: Any) -> bool:
        """See `BaseMonitor`."""
        super().step_end(step, output)
        assert self._last_step is not None  # step_begin set it
        return step >= self._last_step


class PrintTensor(EveryN):
    """Logs the values of tensors.

    Args:
        tensor_names: a list of names, or a dict from label to name.
        every_n: after how many steps.
        first_n: which steps from the first on count too.

    Example:
        >>> classifier = tf.contrib.learn.LinearClassifier([tf.contrib.layers.real_valued_column("x")])
        >>> classifier.fit(input_fn=input_fn, steps=1000, monitors=[PrintTensor(["global_step"], every_n=100)])
    """

    def __init__(self, tensor_names: Any, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._tensor_names: dict[Any, Any] = (
            tensor_names if isinstance(tensor_names, dict) else {name: name for name in tensor_names}
        )

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        super().every_n_step_begin(step)
        return list(self._tensor_names.values())

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`."""
        super().every_n_step_end(step, outputs)
        told = [f"{label} = {outputs[name]}" for label, name in self._tensor_names.items() if name in outputs]
        tf_logging.info("Step %d: %s", step, ", ".join(told))
        return False


class LoggingTrainable(EveryN):
    """Logs the values of the trainable variables.

    Args:
        scope: of those variables whose names begin with it.
        every_n: after how many steps.
        first_n: which steps from the first on count too.
    """

    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._scope = scope
        self._names: list[str] = []

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        super().every_n_step_begin(step)
        self._names = [v.name for v in get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=self._scope)]
        return list(self._names)

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`."""
        super().every_n_step_end(step, outputs)
        told = [f"{name} = {outputs[name]}" for name in self._names if name in outputs]
        tf_logging.info("Logging Trainable: Step %d: %s", step, ", ".join(told))
        return False


class CaptureVariable(EveryN):
    """Keeps the values of a variable.

    Args:
        var_name: its name.
        every_n: after how many steps.
        first_n: which steps from the first on count too.
    """

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._var_values: dict[int, Any] = {}

    @property
    def values(self) -> dict[int, Any]:
        """From step to value."""
        return self._var_values

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        super().every_n_step_begin(step)
        return [self._var_name]

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`."""
        super().every_n_step_end(step, outputs)
        self._var_values[step] = _scalar_of(outputs, self._var_name)
        return False


class NanLoss(EveryN):
    """Stops when the loss is not a number.

    Args:
        loss_tensor: the loss, or its name.
        every_n_steps: after how many steps to look.
        fail_on_nan_loss: whether to raise, rather than to stop.
    """

    def __init__(self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True) -> None:
        super().__init__(every_n_steps=every_n_steps)
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        super().every_n_step_begin(step)
        return [self._loss_tensor]

    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`.

        Raises:
            NanLossDuringTrainingError: if the loss is not a number and that is to fail.
        """
        super().every_n_step_end(step, outputs)
        if not np.isnan(_scalar_of(outputs, self._loss_tensor)):
            return False
        message = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            tf_logging.error(message)
            raise NanLossDuringTrainingError
        tf_logging.warning(message)
        # Another than the error: it has diverged, but the program wants to go on after it.
        return True
