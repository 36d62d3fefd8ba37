"""Evaluating during training, without checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import device, get_collection
from headrace.core.graph import Graph
from headrace.estimator import evaluating
from headrace.estimator.arguments import checked_hooks
from headrace.estimator.estimator import Estimator
from headrace.ops.array.constant import placeholder
from headrace.ops.flow.grouping import group
from headrace.sessions.hook_timers import SecondOrStepTimer
from headrace.sessions.scaffold import Scaffold
from headrace.sessions.session_run_hook import SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.updates import assign

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.runtime.session import Session
    from headrace.sessions.coordinator import Coordinator


class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates a model while it is trained: before the first step, every so many runs, and at the end.

    The variables are handed from the session that trains to one that evaluates, so no checkpoint is written.

    Args:
        estimator: the model.
        input_fn: as for `Estimator.evaluate`.
        steps: over how many batches; None until the input ends.
        hooks: SessionRunHooks of the evaluation.
        name: of the evaluation, where there are several.
        every_n_iter: after how many runs.

    Raises:
        ValueError: if `every_n_iter` is not positive, or the training is distributed.

    Example:
        >>> hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, eval_input_fn, every_n_iter=1000)
        >>> estimator.train(train_input_fn, hooks=[hook])
    """

    def __init__(
        self,
        estimator: Estimator,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        name: str | None = None,
        every_n_iter: int = 100,
    ) -> None:
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator, self._input_fn = estimator, input_fn
        self._hooks = [*checked_hooks(hooks), *evaluating.stopping_after(steps)]
        self._folder = estimator.eval_dir(name)
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)

    def begin(self) -> None:
        """Builds the graph of the evaluation.

        Raises:
            ValueError: if the model has a saver or an initial function of its own.
        """
        self._timer.reset()
        self._runs = 0
        self._graph = Graph()
        with self._graph.as_default(), device(self._estimator._device_fn):
            self._scaffold, self._update, self._values, self._all_hooks = evaluating.build(
                self._estimator, self._graph, self._input_fn, self._hooks, None
            )
            if self._scaffold.saver is not None:
                raise ValueError("InMemoryEvaluator does not support custom saver")
            if self._scaffold.init_fn is not None:
                raise ValueError("InMemoryEvaluator does not support custom init_fn")

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Evaluates before the first step.

        Raises:
            ValueError: if the model keeps state in other things than variables.
        """
        if get_collection(GraphKeys.SAVEABLE_OBJECTS):
            raise ValueError("InMemoryEvaluator does not support saveables other than global variables.")
        trained = {variable.name: variable for variable in get_collection(GraphKeys.GLOBAL_VARIABLES)}
        with self._graph.as_default():
            pairs = [
                (trained[variable.name], placeholder(variable.dtype.base_dtype), variable)
                for variable in get_collection(GraphKeys.GLOBAL_VARIABLES)
                if variable.name in trained
            ]
            self._fed = [fed for _, fed, _ in pairs]
            self._taken = [variable for variable, _, _ in pairs]
            self._take = group(*(assign(variable, fed) for _, fed, variable in pairs))
        self._evaluate(session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Evaluates, if it is time."""
        self._runs += 1
        if self._timer.should_trigger_for_step(self._runs):
            self._evaluate(run_context.session)

    def end(self, session: SessionLike) -> None:
        """Evaluates the last state."""
        self._evaluate(session)

    def _evaluate(self, train_session: SessionLike) -> None:
        values = dict(zip(self._fed, train_session.run(self._taken), strict=True))

        def take_variables(scaffold: Scaffold, session: Session) -> None:
            session.run(self._take, feed_dict=values)

        with self._graph.as_default():
            evaluating.run(
                self._estimator,
                None,
                Scaffold(init_fn=take_variables, copy_from_scaffold=self._scaffold),
                self._update,
                self._values,
                self._all_hooks,
                self._folder,
            )
        self._timer.update_last_triggered_step(self._runs)
