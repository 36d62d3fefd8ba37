"""Functions bound to a session: planned once, called by kernels as often as they like."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from headrace.core.errors import InvalidArgumentError
from headrace.plan.ir import Node, Value
from headrace.plan.plan import Plan, make_plan
from headrace.runtime import failures

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.buffers import VariableBuffer
    from headrace.core.graph_functions import Function
    from headrace.core.typing import Collectives, DeviceSettings, Tasks
    from headrace.core.waiting import Waits
    from headrace.runtime.resources import Runtime

T = TypeVar("T")

Call = Callable[..., "tuple[Any, ...]"]

# Kinds of session objects that belong to one op of one call, not to a name that calls share.
OWN_KINDS = frozenset({"random_stream"})


class CallRuntime:
    """The session's state as the body of one call sees it: all of it is shared but the random streams.

    Args:
        outer: the runtime of the caller.
        scope: what tells this call from others.
        device: where the body runs, the caller's default by default.
        fresh: whether its random streams begin with it.
    """

    def __init__(
        self, outer: Runtime | CallRuntime, scope: str, device: torch.device | None = None, fresh: bool = False
    ) -> None:
        self._outer = outer
        self._own: dict[Any, Any] | None = {} if fresh else None
        self._scope = scope
        self.device: torch.device = device or outer.device
        self.settings: DeviceSettings | None = outer.settings
        self.lock: AbstractContextManager[Any] = outer.lock
        self.buffer: Callable[..., VariableBuffer] = outer.buffer
        self.buffers: dict[tuple[str, str], VariableBuffer] = outer.buffers
        self.waits: Waits = outer.waits
        self.tasks: Tasks | None = outer.tasks
        self.collectives: Collectives | None = outer.collectives
        self.device_names: Callable[[], tuple[str, ...]] = outer.device_names

    @property
    def objects(self) -> dict[Any, Any]:
        """The session's objects."""
        return self._outer.objects

    def object(self, key: Hashable, make: Callable[[], T]) -> T:
        """The object kept under `key`, made by calling `make` at its first use."""
        if isinstance(key, tuple) and key and key[0] in OWN_KINDS:
            key = (key[0], self._scope, *key[1:])
            if self._own is not None:
                with self.lock:
                    found = self._own.get(key)
                    if found is None:
                        found = self._own[key] = make()
                return found
        return self._outer.object(key, make)

    def bind(
        self,
        function: Function,
        scope: str,
        known: Mapping[int, Value] | None = None,
        device: torch.device | None = None,
        fresh: bool = False,
    ) -> Call:
        """As `Runtime.bind`."""
        return bind(self, function, f"{self._scope}/{scope}", known, device, fresh)

    def of_call(self, scope: str) -> CallRuntime:
        """As `Runtime.of_call`."""
        return CallRuntime(self, f"{self._scope}/{scope}")

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Forgets the session's state."""
        self._outer.clear(containers)


def bind(
    runtime: Runtime | CallRuntime,
    function: Function,
    scope: str,
    known: Mapping[int, Value] | None = None,
    device: torch.device | None = None,
    fresh: bool = False,
) -> Call:
    """Plans a function for calls from kernels.

    Args:
        runtime: the caller's runtime.
        function: a `core.graph_functions.Function`.
        scope: a name for this place of calling; random ops of the body keep a stream for each.
        known: arguments that never change, by position, as values of the caller's plan.
        device: where the body runs, the caller's default by default.
        fresh: whether random ops begin their streams anew rather than go on where earlier calls from here left them.

    Returns:
        a function of the arguments' values that returns a tuple of results. It runs in the inference mode of its caller.
    """
    for i in known or ():
        if i >= len(function.inputs):
            raise _arity_error(function, f"more than {i}")
    plan = make_plan(
        [*function.outputs, *function.effects],
        function.inputs,
        CallRuntime(runtime, scope, device, fresh),
        known=known,
    )
    return _checked(plan, copying(plan), function)


def _arity_error(function: Function, got: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None, None, f"Function {function.name} takes {len(function.inputs)} arguments, got {got}."
    )


def copying(plan: Plan) -> Call:
    """The plan's function, with copies of results that are the memory of variables: those change after the call."""
    live = any(node.decl.lends_state or any(value.dtype._is_ref_dtype for value in node.outputs) for node in plan.nodes)
    positions = [i for i, shared in enumerate(plan.shared) if shared] if live else []
    function = plan.function
    if not positions:
        return function

    def call(*values: Any) -> tuple[Any, ...]:
        results = list(function(*values))
        for i in positions:
            if isinstance(results[i], torch.Tensor):
                results[i] = results[i].clone()
        return tuple(results)

    return call


def _is_live(node: Node) -> bool:
    if node.region is not None:
        return any(_is_live(inner) for inner in node.region.nodes)
    return node.decl.lends_state or any(value.dtype._is_ref_dtype for value in node.outputs)


def _checked(plan: Plan, body: Call, function: Function) -> Call:
    """`body`, the planned `function`, with its errors reported as errors of the operation that raised them."""
    count = len(function.inputs)

    def call(*values: Any) -> tuple[Any, ...]:
        if len(values) != count:
            raise _arity_error(function, str(len(values)))
        try:
            return body(*values)
        except BaseException as error:
            raised = failures.explained(error, plan)
            if raised is error:
                raise
            raise raised from None

    return call
