"""Calling a function for each replica in a thread of its own: one runs at a time, and they wait for each other where they merge.

A replica runs until its function returns or calls `merge_call`; then the next one does. When all have come to the same
`merge_call`, the function given to it is called once, in the thread that called for the replicas.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, default_session_stack, device, get_default_graph, name_scope
from headrace.core.dtypes import int32
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.stacks import default_graphs
from headrace.distribute.device_maps import DeviceMap
from headrace.distribute.replica_context import ReplicaContext
from headrace.distribute.values import regroup, select_replica
from headrace.state.current_scope import get_variable_scope, get_variable_scope_store
from headrace.state.replication import current_mode, pop_mode, push_mode
from headrace.state.scoping import creators_of, variable_creator_scope
from headrace.state.variable_scope import variable_scope
from headrace.summary import recording

# What makes a name scope different from an earlier one of the same name.
_NUMBER_INSIDE = re.compile(r"_\d/")
_NUMBER_AT_END = re.compile(r"_\d$")


class _StoppedError(BaseException):
    """Ends the function of a replica because another one has failed."""


def _plain_name(name: str | None) -> str:
    """A variable's name without the numbers that name scopes may have put into it."""
    return "Variable" if name is None else _NUMBER_AT_END.sub("", _NUMBER_INSIDE.sub("/", name))


def shared_creator(made: dict[str, list[Any]], replica_id: int) -> Callable[..., Any]:
    """A variable creator by which the first replica makes variables for all, and the others find them.

    Args:
        made: the variables of the first replica by name, in the order they were made.
        replica_id: the number of the replica.
    """
    found: dict[str, int] = {}

    def make(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        variable = next_creator(**kwargs)
        made.setdefault(_plain_name(kwargs.get("name")), []).append(variable)
        return variable

    def find(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
        name = _plain_name(kwargs.get("name"))
        number = found.get(name, 0)
        try:
            variable = made[name][number]
        except (KeyError, IndexError):
            raise RuntimeError(
                f"Tried to create variable {kwargs.get('name')} with mismatching name on device {replica_id}"
            ) from None
        found[name] = number + 1
        return variable

    return make if replica_id == 0 else find


class MirroredReplicaContext(ReplicaContext):
    """The context of a replica that runs in a thread of its own.

    Args:
        strategy: the strategy.
        replica_id: the number of the replica, a tensor.
        replica: what runs in the thread.
    """

    def __init__(self, strategy: Any, replica_id: Any, replica: _Replica) -> None:
        super().__init__(strategy, replica_id)
        self._replica = replica
        self._replica_number = replica.number

    @property
    def devices(self) -> tuple[str, ...]:
        """The device of the replica."""
        return (self._replica.device,)

    def _merge_call(self, merge_fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        return self._replica.wait_for_merge(merge_fn, args, kwargs)


class _Replica:
    """Runs a function for one replica, in another thread than the one that makes it."""

    def __init__(
        self, strategy: Any, number: int, device_map: DeviceMap, creator: Any, fn: Any, args: Any, kwargs: Any
    ) -> None:
        self._strategy, self.number, self._creator = strategy, number, creator
        self.device = device_map.logical_to_actual_devices(0)[number]
        self._call = fn, args, kwargs
        # Set by who calls for the replicas: the replica may go on. Set by the replica: it has stopped.
        self.may_go_on, self.has_paused = threading.Event(), threading.Event()
        self.stopping = False
        # What it merges, and what came of that.
        self.merge: tuple[Any, Any, Any] = (None, (), {})
        self.merge_result: Any = None
        self.name_scope_there = ""
        self.variable_scope_there: Any = None
        self.control_inputs_there: list[Operation] = []
        self._take_surroundings()

    def _take_surroundings(self) -> None:
        """Keeps what is open in the thread that calls, for the other one to open it too."""
        self.graph: Graph = get_default_graph()
        self._graphs = list(default_graphs.items)
        self._sessions = list(default_session_stack().items)
        self._control_stack = list(self.graph._scopes.control_stack)
        self._creators = list(creators_of(self.graph).stack)
        self._variable_scope = get_variable_scope()
        self._scope_counts = dict(get_variable_scope_store().variable_scopes_count)
        name = self.graph.get_name_scope()
        self._name_scope = f"{name}/" if name else ""
        if self.number > 0:
            self._name_scope += f"replica_{self.number}/"
        self._mode = current_mode()
        self._summaries = recording.settings_here()

    def start(self, executor: Executor) -> None:
        """Begins to wait in another thread until it may go on."""
        self.result = executor.submit(self._run)
        self.result.add_done_callback(lambda _: self.has_paused.set())

    def go_on(self) -> None:
        """Lets the function run until it returns or merges.

        Raises:
            whatever the function raised.
        """
        self.may_go_on.set()
        self.has_paused.wait()
        self.has_paused.clear()
        if self.result.done():
            self.result.result()

    def stop(self) -> None:
        """Ends it where it waits."""
        self.stopping = True
        self.may_go_on.set()

    def _wait(self) -> None:
        self.may_go_on.wait()
        self.may_go_on.clear()
        if self.stopping:
            raise _StoppedError

    def _run(self) -> Any:
        self._wait()
        default_graphs.items = list(self._graphs)
        default_session_stack().items = list(self._sessions)
        recording.take_over(self._summaries)
        fn, args, kwargs = self._call
        with contextlib.ExitStack() as opened:
            if get_default_graph() is not self.graph:
                # One that only its own thread has by default.
                opened.enter_context(self.graph.as_default())
            self.graph._scopes.control_stack = list(self._control_stack)
            creators_of(self.graph).stack = list(self._creators)
            get_variable_scope_store().variable_scopes_count = dict(self._scope_counts)
            push_mode(self._mode)
            opened.callback(pop_mode, self._mode)
            replica_id = convert_to_tensor(self.number, int32)
            opened.enter_context(MirroredReplicaContext(self._strategy, replica_id, self))
            opened.enter_context(device(self.device))
            opened.enter_context(name_scope(self._name_scope))
            opened.enter_context(variable_scope(self._variable_scope, reuse=self.number > 0))
            opened.enter_context(variable_creator_scope(self._creator))
            return fn(*args, **kwargs)

    def wait_for_merge(self, merge_fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """Waits until all replicas have come here, and for the part of this one of what `merge_fn` gives."""
        if get_default_graph() is not self.graph:
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function: the function given to "
                "strategy.experimental_run_v2() contains a nested `@tf.function` in which replicas merge, as when gradients "
                "are applied. Wrap the call of experimental_run_v2 in a `@tf.function` instead."
            )
        self.merge = merge_fn, args, kwargs
        scope = self.graph.get_name_scope()
        self.name_scope_there = f"{scope}/" if scope else ""
        self.variable_scope_there = get_variable_scope()
        self.control_inputs_there = [
            op for controller in self.graph._scopes.control_stack for op in controller.control_inputs
        ]
        self.has_paused.set()
        self._wait()
        return self.merge_result


def _merge(strategy: Any, device_map: DeviceMap, replicas: list[_Replica]) -> None:
    """Calls once what all replicas want to be called, and gives each its part."""
    first = replicas[0]
    merge_fn = first.merge[0]
    args = regroup(device_map, tuple(replica.merge[1] for replica in replicas))
    kwargs = regroup(device_map, tuple(replica.merge[2] for replica in replicas))
    control_inputs = list(dict.fromkeys(op for replica in replicas for op in replica.control_inputs_there))
    # What the first replica has open is taken for what all have.
    with (
        name_scope(first.name_scope_there),
        control_dependencies(control_inputs),
        variable_scope(first.variable_scope_there),
    ):
        result = merge_fn(strategy, *args, **kwargs)
    for replica in replicas:
        replica.merge_result = select_replica(replica.number, result)


def call_for_each_replica(
    strategy: Any, device_map: DeviceMap, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]
) -> Any:
    """What `fn` returns for each replica, put together.

    Args:
        strategy: the strategy.
        device_map: the devices of the replicas.
        fn: the function.
        args, kwargs: its arguments; of values of several replicas each gets its own.

    Raises:
        RuntimeError: if replicas call `merge_call` a different number of times; and whatever `fn` raises.
    """
    made: dict[str, list[Any]] = {}
    replicas = [
        _Replica(
            strategy,
            number,
            device_map,
            shared_creator(made, number),
            fn,
            select_replica(number, args),
            select_replica(number, kwargs),
        )
        for number in range(device_map.num_replicas_in_graph)
    ]
    with ThreadPoolExecutor(len(replicas), "replica") as executor:
        for replica in replicas:
            replica.start(executor)
        try:
            while True:
                for replica in replicas:
                    replica.go_on()
                done = [replica.result.done() for replica in replicas]
                if all(done):
                    break
                if any(done):
                    raise RuntimeError("Some replicas made a different number of replica_context().merge_call() calls.")
                _merge(strategy, device_map, replicas)
        finally:
            for replica in replicas:
                replica.stop()
    return regroup(device_map, tuple(replica.result.result() for replica in replicas))
