"""Steps of training as callables, and a monitor that runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradients import gradients
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.optimizers.optimizer import Optimizer
from headrace.state.collecting import global_variables_initializer, trainable_variables

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


class Step:
    """Something that is done over and over: a step of training, as a callable.

    Args:
        distribution: the strategy.
    """

    def __init__(self, distribution: Any) -> None:
        self._distribution = distribution

    @property
    def distribution(self) -> Any:
        """The strategy."""
        return self._distribution

    def initialize(self) -> list[Operation]:
        """The operations that have to run before the first step."""
        return []

    def __call__(self) -> Any:
        """Builds the operation of a step, or does it while executing eagerly."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__.")


class StandardInputStep(Step):
    """A step with the elements of a dataset.

    Args:
        dataset_fn: returns the dataset.
        distribution: the strategy.
    """

    def __init__(self, dataset_fn: Callable[[], Any], distribution: Any) -> None:
        super().__init__(distribution)
        self._iterator = distribution.make_input_fn_iterator(lambda _: dataset_fn())

    def initialize(self) -> Any:
        """The operations that begin the dataset."""
        return self._iterator.initialize()


class StandardSingleLossStep(StandardInputStep):
    """A step that trains a model with one loss.

    Args:
        dataset_fn: returns the dataset.
        loss_fn: called for each replica with a context and an element; returns the loss.
        optimizer: the optimizer.
        distribution: the strategy.
        iterations_per_step: how many batches a step takes.

    Example:
        >>> def dataset():
        ...     return tf.data.Dataset.from_tensors([[1.0]]).repeat()
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> with strategy.scope():
        ...     layer = tf.layers.Dense(1)
        ...     step = tf.contrib.distribute.StandardSingleLossStep(
        ...         dataset, lambda _, x: tf.reduce_sum(layer(x)), tf.train.GradientDescentOptimizer(0.1), strategy
        ...     )
        ...     train_op = step()
    """

    def __init__(
        self,
        dataset_fn: Callable[[], Any],
        loss_fn: Callable[..., Any],
        optimizer: Any,
        distribution: Any,
        iterations_per_step: int = 1,
    ) -> None:
        super().__init__(dataset_fn, distribution)
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._iterations_per_step = iterations_per_step

    def __call__(self) -> Any:
        """Builds the operation of a step, or does it while executing eagerly."""
        with self._distribution.scope():

            def step(context: Any, inputs: Any) -> Any:
                updates = self._distribution.extended.call_for_each_replica(self._minimized, args=(context, inputs))
                return self._distribution.group(updates)

            context = self._distribution.extended.experimental_run_steps_on_iterator(
                step, self._iterator, self._iterations_per_step
            )
            return context.run_op

    def _minimized(self, context: Any, inputs: Any) -> Any:
        """The step of one replica."""
        if executing_eagerly():
            return self._optimizer.minimize(lambda: self._loss_fn(context, inputs))
        loss = self._loss_fn(context, inputs)
        if isinstance(self._optimizer, Optimizer):
            return self._optimizer.minimize(loss)
        variables = trainable_variables()
        return self._optimizer.apply_gradients(zip(gradients(loss, variables), variables, strict=True))


class Monitor:
    """Runs steps.

    Args:
        step_callable: a `Step`.
        session: the session to run it in; needed in graphs, and refused while executing eagerly.

    Raises:
        ValueError: without a session where one is needed, or with one where there is none.

    Example:
        >>> def dataset():
        ...     return tf.data.Dataset.from_tensors([[1.0]]).repeat()
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> with strategy.scope(), tf.Session() as sess:
        ...     layer = tf.layers.Dense(1)
        ...     step = tf.contrib.distribute.StandardSingleLossStep(
        ...         dataset, lambda _, x: tf.reduce_sum(layer(x)), tf.train.GradientDescentOptimizer(0.1), strategy
        ...     )
        ...     tf.contrib.distribute.Monitor(step, sess).run_steps(2)
    """

    def __init__(self, step_callable: Step, session: SessionLike | None = None) -> None:
        if executing_eagerly():
            if session is not None:
                raise ValueError("Should not provide a `session` in Eager mode.")
            self._run_step: Callable[[], Any] = step_callable
            step_callable.initialize()
            return
        if session is None:
            raise ValueError("Should provide a `session` in Graph mode.")
        session.run(step_callable.initialize())
        train_op = step_callable()
        self._run_step = lambda: session.run(train_op)
        session.run(global_variables_initializer())

    def run_steps(self, num_steps: int | None = None) -> None:
        """Runs steps.

        Args:
            num_steps: how many; without it steps are run until the data end.

        Raises:
            OutOfRangeError: when the data end.
        """
        step = 0
        while num_steps is None or step < num_steps:
            self._run_step()
            step += 1
