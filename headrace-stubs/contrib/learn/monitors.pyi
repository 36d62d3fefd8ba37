# Made by tools/make_stubs.py.
from typing import Any

from headrace.core.collections import GraphKeys as GraphKeys
from headrace.core.defaults import get_collection as get_collection
from headrace.core.typing import SessionLike as SessionLike
from headrace.sessions.hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from headrace.util import tf_logging as tf_logging
from typing import Any

class BaseMonitor:
    '''The base of monitors; every method may be overridden.

    Example:
        >>> class Steps(tf.contrib.learn.monitors.BaseMonitor):
        ...     def step_end(self, step, output):
        ...         print(step)
        ...         return super().step_end(step, output)
        >>> classifier = tf.contrib.learn.LinearClassifier([tf.contrib.layers.real_valued_column("x")])
        >>> classifier.fit(input_fn=input_fn, steps=10, monitors=[Steps()])
    '''
    def __init__(self) -> None: ...
    @property
    def run_on_all_workers(self) -> bool:
        """Whether it is called on workers that are not the chief too."""
    def set_estimator(self, estimator: Any) -> None:
        """Says which estimator is trained.

        Args:
            estimator: the estimator.

        Raises:
            ValueError: if it is None.
        """
    def begin(self, max_steps: int | None = None) -> None:
        """Called when training begins.

        Args:
            max_steps: up to which step training will go, if it is known.

        Raises:
            ValueError: if it has begun already.
        """
    def end(self, session: SessionLike | None = None) -> None:
        """Called when training ends.

        Args:
            session: the session.

        Raises:
            ValueError: if it has not begun.
        """
    def epoch_begin(self, epoch: int) -> None:
        """Called when an epoch begins.

        Args:
            epoch: its number.

        Raises:
            ValueError: if one has begun and not ended, or the number is negative.
        """
    def epoch_end(self, epoch: int) -> None:
        """Called when an epoch ends.

        Args:
            epoch: its number.

        Raises:
            ValueError: if it is not the one that has begun.
        """
    def step_begin(self, step: int) -> list[Any]:
        """Called before a step.

        Args:
            step: its number.

        Returns:
            tensors, or names of them, whose values `step_end` is to get.

        Raises:
            ValueError: if one has begun and not ended, or the number is negative or too large.
        """
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
    def post_step(self, step: int, session: SessionLike) -> None:
        """Called after all monitors' `step_end`.

        Args:
            step: its number.
            session: the session.
        """

class EveryN(BaseMonitor):
    """The base of monitors that do something every so many steps.

    Args:
        every_n_steps: after how many.
        first_n_steps: which steps from the first on count too.
    """
    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None: ...
    def every_n_step_begin(self, step: int) -> list[Any]:
        """Called before such a step; returns what is wanted of it.

        Args:
            step: its number.
        """
    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """Called after such a step; returns whether to stop.

        Args:
            step: its number.
            outputs: what was wanted.
        """
    def every_n_post_step(self, step: int, session: SessionLike | None) -> None:
        """Called after all monitors' `step_end`, and at the end.

        Args:
            step: its number.
            session: the session.
        """
    def step_begin(self, step: int) -> list[Any]:
        """See `BaseMonitor`."""
    def step_end(self, step: int, output: Any) -> bool:
        """See `BaseMonitor`."""
    def post_step(self, step: int, session: SessionLike) -> None:
        """See `BaseMonitor`."""
    def end(self, session: SessionLike | None = None) -> None:
        """See `BaseMonitor`."""

class StopAtStep(BaseMonitor):
    """Stops after some steps.

    Args:
        num_steps: how many to take.
        last_step: or the last one.

    Raises:
        ValueError: unless exactly one is given.
    """
    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None: ...
    @property
    def run_on_all_workers(self) -> bool:
        """True."""
    def step_begin(self, step: int) -> list[Any]:
        """See `BaseMonitor`."""
    def step_end(self, step: int, output: Any) -> bool:
        """See `BaseMonitor`."""

class PrintTensor(EveryN):
    '''Logs the values of tensors.

    Args:
        tensor_names: a list of names, or a dict from label to name.
        every_n: after how many steps.
        first_n: which steps from the first on count too.

    Example:
        >>> classifier = tf.contrib.learn.LinearClassifier([tf.contrib.layers.real_valued_column("x")])
        >>> classifier.fit(input_fn=input_fn, steps=1000, monitors=[PrintTensor(["global_step"], every_n=100)])
    '''
    def __init__(self, tensor_names: Any, every_n: int = 100, first_n: int = 1) -> None: ...
    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`."""

class LoggingTrainable(EveryN):
    """Logs the values of the trainable variables.

    Args:
        scope: of those variables whose names begin with it.
        every_n: after how many steps.
        first_n: which steps from the first on count too.
    """
    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None: ...
    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`."""

class CaptureVariable(EveryN):
    """Keeps the values of a variable.

    Args:
        var_name: its name.
        every_n: after how many steps.
        first_n: which steps from the first on count too.
    """
    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None: ...
    @property
    def values(self) -> dict[int, Any]:
        """From step to value."""
    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`."""

class NanLoss(EveryN):
    """Stops when the loss is not a number.

    Args:
        loss_tensor: the loss, or its name.
        every_n_steps: after how many steps to look.
        fail_on_nan_loss: whether to raise, rather than to stop.
    """
    def __init__(self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True) -> None: ...
    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
    def every_n_step_end(self, step: int, outputs: Any) -> bool:
        """See `EveryN`.

        Raises:
            NanLossDuringTrainingError: if the loss is not a number and that is to fail.
        """
__all__ = ['BaseMonitor', 'CaptureVariable', 'CheckpointSaver', 'EveryN', 'ExportMonitor', 'GraphDump', 'LoggingTrainable', 'NanLoss', 'NanLossDuringTrainingError', 'PrintTensor', 'RunHookAdapterForMonitors', 'SessionLog', 'StepCounter', 'StopAtStep', 'Summary', 'SummarySaver', 'ValidationMonitor', 'get_default_monitors', 'replace_monitors_with_hooks']
from headrace.contrib.learn.writing_monitors import CheckpointSaver as CheckpointSaver
from headrace.contrib.learn.writing_monitors import ExportMonitor as ExportMonitor
from headrace.contrib.learn.writing_monitors import GraphDump as GraphDump
from headrace.sessions.hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from headrace.contrib.learn.monitor_hooks import RunHookAdapterForMonitors as RunHookAdapterForMonitors
SessionLog: Any
from headrace.contrib.learn.writing_monitors import StepCounter as StepCounter
Summary: Any
from headrace.contrib.learn.writing_monitors import SummarySaver as SummarySaver
from headrace.contrib.learn.validation_monitor import ValidationMonitor as ValidationMonitor
from headrace.contrib.learn.writing_monitors import get_default_monitors as get_default_monitors
from headrace.contrib.learn.monitor_hooks import replace_monitors_with_hooks as replace_monitors_with_hooks
