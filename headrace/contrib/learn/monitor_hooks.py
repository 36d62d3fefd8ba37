"""Monitors as hooks of sessions: what calls them around each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from headrace.state.global_step import get_global_step
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import SessionLike
    from headrace.sessions.session_run_hook import SessionRunContext, SessionRunValues


class RunHookAdapterForMonitors(SessionRunHook):
    """A hook that calls monitors.

    Args:
        monitors: `BaseMonitor`s.

    Example:
        >>> hook = RunHookAdapterForMonitors([tf.contrib.learn.monitors.PrintTensor(["loss"])])
    """

    def __init__(self, monitors: Sequence[Any]) -> None:
        self._monitors = list(monitors)

    def begin(self) -> None:
        """Begins the monitors."""
        self._last_step: int | None = None
        self._global_step = get_global_step()
        for monitor in self._monitors:
            monitor.begin(max_steps=None)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for what the monitors want of the step."""
        if self._last_step is None:
            self._last_step = int(run_context.session.run(self._global_step)) + 1
        wanted: dict[Any, Any] = {}
        for monitor in self._monitors:
            asked = monitor.step_begin(self._last_step)
            if not isinstance(asked, list):
                raise ValueError("Monitor.step_begin should return a list.")
            for name in asked:
                wanted[name] = _element(name, run_context.session.graph)
        request: dict[str, Any] = {"global_step": self._global_step}
        if wanted:
            request["monitors"] = wanted
        return SessionRunArgs(request)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Hands over what the step gave."""
        found = run_values.results.get("monitors", {})
        for monitor in self._monitors:
            if monitor.step_end(self._last_step, found):
                run_context.request_stop()
        for monitor in self._monitors:
            monitor.post_step(self._last_step, run_context.session)
        self._last_step = int(run_values.results["global_step"]) + 1

    def end(self, session: SessionLike) -> None:
        """Ends the monitors."""
        self._last_step = None
        for monitor in self._monitors:
            if "session" in fn_args(monitor.end):
                monitor.end(session=session)
            else:
                monitor.end()


def _element(name: Any, graph: Graph) -> Any:
    """What a monitor means: an object of the graph, or the name of one, of an operation its first output."""
    if not isinstance(name, str):
        return graph.as_graph_element(name)
    if ":" in name:
        return graph.as_graph_element(name)
    operation = graph.as_graph_element(name)
    outputs = getattr(operation, "outputs", None)
    if outputs is None:
        return operation
    if len(outputs) > 1:
        raise ValueError(f"Operation {name!r} has {len(outputs)} outputs: name one of them, such as {name}:0.")
    return outputs[0] if outputs else operation


def replace_monitors_with_hooks(monitors_or_hooks: Sequence[Any] | None, estimator: Any) -> list[SessionRunHook]:
    """Hooks for a list of hooks and monitors.

    Args:
        monitors_or_hooks: SessionRunHooks and monitors.
        estimator: the estimator that the monitors watch; those of other workers than the chief that run there only are
            left out.

    Returns:
        the hooks, and one for the monitors if there are any.
    """
    given = list(monitors_or_hooks or [])
    hooks: list[SessionRunHook] = [item for item in given if isinstance(item, SessionRunHook)]
    monitors = [item for item in given if not isinstance(item, SessionRunHook)]
    if not estimator.config.is_chief:
        monitors = [monitor for monitor in monitors if monitor.run_on_all_workers]
    for monitor in monitors:
        monitor.set_estimator(estimator)
    if monitors:
        hooks.append(RunHookAdapterForMonitors(monitors))
    return hooks
