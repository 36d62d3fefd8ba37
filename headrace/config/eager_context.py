"""1.x's `context`: whether operations run as they are made, and what surrounds those that do."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import torch

from headrace.app import running as app
from headrace.config.behavior import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    enable_eager_execution,
)
from headrace.config.context_settings import ContextSettings
from headrace.config.eager_executors import (
    Executor,
    async_clear_error,
    async_wait,
    check_execution_mode,
    current_executor,
    execution_mode,
    executor_scope,
    is_async,
    set_execution_mode,
    set_executor,
)
from headrace.config.eager_tensor_cache import EagerTensorCache
from headrace.config.function_options import function_executor_type
from headrace.core import slots
from headrace.core.defaults import get_default_graph, global_graph
from headrace.core.device import DeviceSpec
from headrace.core.eager import eager_graph, eager_mode, executing_eagerly, graph_mode
from headrace.core.errors import NotFoundError
from headrace.core.framework_ops import uid
from headrace.core.stacks import default_graphs
from headrace.devices.process_settings import LogicalDevice, PhysicalDevice, VirtualDeviceConfiguration
from headrace.messages import protos
from headrace.messages.function_def import import_library
from headrace.summary import recording
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.graph_functions import Function
    from headrace.state.concrete_function import ConcreteFunction

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN",
    "SYNC",
    "LogicalDevice",
    "PhysicalDevice",
    "VirtualDeviceConfiguration",
    "async_clear_error",
    "async_wait",
    "eager_mode",
    "executing_eagerly",
    "execution_mode",
    "executor_scope",
    "function_executor_type",
    "graph_mode",
    "is_async",
    "set_execution_mode",
]

GRAPH_MODE = 0
EAGER_MODE = 1
MIRRORING_NONE = 0

default_execution_mode = GRAPH_MODE


def in_graph_mode() -> bool:
    """Whether operations are added to a graph."""
    return not executing_eagerly()


def in_eager_mode() -> bool:
    """Whether operations run as they are made."""
    return executing_eagerly()


def num_gpus() -> int:
    """How many GPUs there are."""
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def list_devices() -> list[str]:
    """The names of the devices that eager operations can run on."""
    graph = eager_graph()
    return list(graph.runtime.settings.devices())


def set_global_seed(seed: int | None) -> None:
    """Sets the seed of eager execution."""
    eager_graph().seed = seed


def global_seed() -> int | None:
    """The seed of eager execution, None if it was not set."""
    seed: int | None = eager_graph().seed
    return seed


def internal_operation_seed() -> int | None:
    """The seed of the next operation that has none of its own."""
    seed: int | None = eager_graph().next_op_seed()
    return seed


def shared_name(name: str | None = None) -> str:
    """The name under which a resource is shared: while executing eagerly one that nothing else has."""
    if name or not executing_eagerly():
        return name or ""
    return f"eager_resource_{uid()}"


def set_server_def(server_def: Any) -> NoReturn:
    """Would run operations on other machines.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        "tfe.set_server_def: eager operations run in this process; run a graph on a tf.train.Server instead."
    )


def connect_to_remote_host(remote_host: Any = None, job_name: str = "worker") -> NoReturn:
    """Would run operations on another machine.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        "tfe.connect_to_remote_host: eager operations run in this process; run a graph with "
        "tf.Session('grpc://host:port') instead."
    )


def enable_remote_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None, server_def: Any = None
) -> None:
    """As `tf.enable_eager_execution`, on other machines if `server_def` says so.

    Raises:
        NotImplementedError: for a `server_def`.
    """
    if server_def is not None:
        set_server_def(server_def)
    enable_eager_execution(config, device_policy, execution_mode)


def run(main: Any = None, argv: Any = None) -> None:
    """Enables eager execution and runs the program, as `tf.app.run` does.

    Args:
        main: the function; that of the program by default.
        argv: the arguments; those of the program by default.
    """
    enable_eager_execution()
    app.run(main, argv)


def device(name: Any) -> Any:
    """A context in which operations run on the device called `name`."""
    return get_default_graph().device(name)


class ContextSwitch(NamedTuple):
    """What was entered: a graph, or eager execution."""

    is_building_function: bool
    enter_context_fn: Any
    device_stack: Any


class ContextSwitches:
    """What has been entered and not been left."""

    @property
    def stack(self) -> list[ContextSwitch]:
        """From the outermost to the innermost."""
        entered = [ContextSwitch(False, eager_mode, None)] if global_graph().is_eager else []
        for graph in default_graphs.items:
            enter = eager_mode if graph.is_eager else graph.as_default
            entered.append(ContextSwitch(graph.building_function, enter, graph._device_functions_outer_to_inner))
        return entered


class _OwnState(threading.local):
    """What a context that is not the process's keeps, for each thread."""

    scope_name = ""
    execution_mode = SYNC
    writer: Any = None
    recording: Any = None
    step: Any = None
    recording_in_strategy: Any = True


class Context(ContextSettings):
    """The surroundings of eager operations, as 1.x's code asks for them.

    Args:
        config, device_policy, server_def: None: what surrounds eager operations is one for the process.
        execution_mode: how operations run in this context: `tfe.SYNC`, the default, or `tfe.ASYNC`.

    Raises:
        NotImplementedError: for settings of its own.
    """

    _collective_leader = ""

    def __init__(
        self, config: Any = None, device_policy: Any = None, execution_mode: Any = None, server_def: Any = None
    ) -> None:
        if config is not None or device_policy is not None or server_def is not None:
            raise NotImplementedError(
                "Context: config, device_policy and server_def are the process's; give them to "
                "tf.enable_eager_execution, or run a graph on a tf.train.Server."
            )
        self.context_switches = ContextSwitches()
        # Of a context that is not the process's.
        self._own = _OwnState()
        self._ones, self._zeros = EagerTensorCache(), EagerTensorCache()
        if execution_mode is not None:
            self.execution_mode = execution_mode

    def executing_eagerly(self) -> bool:
        """Whether operations run as they are made."""
        return executing_eagerly()

    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return num_gpus()

    def devices(self) -> list[str]:
        """The names of the devices."""
        return list_devices()

    def configure_collective_ops(
        self,
        collective_leader: str = "",
        scoped_allocator_enabled_ops: Sequence[str] = ("CollectiveReduce",),
        use_nccl_communication: bool = False,
        device_filters: Sequence[str] | None = None,
    ) -> None:
        """Says how collectives of eager operations meet, before `enable_collective_ops` lets them.

        Args:
            collective_leader: the task in whose store members find each other, the chief or the first by default.
            scoped_allocator_enabled_ops: which operations share buffers in TensorFlow; reductions do here.
            use_nccl_communication: whether values on GPUs travel by NCCL; they do, where all values are on GPUs.
            device_filters: which tasks a session sees; eager operations see their own.
        """
        self._collective_leader = collective_leader
        tf_logging.info(
            "Collectives: leader %r, operations %r, NCCL %r, devices %r",
            collective_leader,
            list(scoped_allocator_enabled_ops),
            use_nccl_communication,
            device_filters,
        )

    def enable_collective_ops(self, server_def: protos.ServerDef) -> None:
        """Starts the server of this process's task, by which its collectives meet those of others.

        Args:
            server_def: the cluster and the task.

        Raises:
            ValueError: if there is none.
            FailedPreconditionError: if this process is another task already.
        """
        if not server_def:
            raise ValueError("server_def is None.")
        slots.join_cluster(server_def, self._collective_leader)

    def ensure_initialized(self) -> None:
        """Makes what eager operations need, if that has not been done."""
        eager_graph()

    def device(self, name: str | None) -> contextlib.AbstractContextManager[None]:
        """A context in which operations run on the device of this name.

        Raises:
            ValueError: if it is no text.
        """
        if name is not None and not isinstance(name, str):
            raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")
        scope: contextlib.AbstractContextManager[None] = device(name)
        return scope

    @property
    def device_name(self) -> str:
        """The full name of the device that is asked for, "" where none is."""
        scopes = get_default_graph()._device_functions_outer_to_inner
        asked = getattr(scopes[-1], "of_all", None) if scopes and scopes[-1] is not None else None
        if not asked:
            return ""
        spec = DeviceSpec.from_string(asked)
        task = f"/job:{spec.job or 'localhost'}/replica:{spec.replica or 0}/task:{spec.task or 0}"
        return f"{task}/device:{spec.device_type or 'CPU'}:{spec.device_index or 0}"

    @property
    def device_spec(self) -> DeviceSpec:
        """The device that is asked for."""
        return DeviceSpec.from_string(self.device_name)

    @property
    def execution_mode(self) -> int:
        """How operations of this thread run: `tfe.SYNC` or `tfe.ASYNC`."""
        if self is not _context:
            return self._own.execution_mode
        return ASYNC if is_async() else SYNC

    @execution_mode.setter
    def execution_mode(self, mode: int | None) -> None:
        if self is _context:
            set_execution_mode(mode)
        else:
            self._own.execution_mode = check_execution_mode(mode)

    @property
    def executor(self) -> Executor:
        """What runs the operations of this thread."""
        return current_executor()

    @executor.setter
    def executor(self, executor: Executor | None) -> None:
        set_executor(executor)

    def is_async(self) -> bool:
        """Whether operations of this thread may return before they have run."""
        return is_async()

    @property
    def mirroring_policy(self) -> int:
        """What is done with copies of tensors on other devices: they are not kept."""
        return MIRRORING_NONE

    def add_function(self, fn: Function | ConcreteFunction) -> None:
        """Puts a function into the library of eager execution.

        Args:
            fn: the function.
        """
        getattr(fn, "function", fn).add_to_graph(eager_graph())

    def add_function_def(self, fdef: protos.FunctionDef) -> None:
        """Puts the function that a message describes into the library of eager execution."""
        library = protos.FunctionDefLibrary(function=[fdef])
        import_library(eager_graph(), library)
        # The library of eager calls does not keep its functions.
        _kept_functions[fdef.signature.name] = eager_graph()._functions[fdef.signature.name]

    def remove_function(self, name: str | bytes) -> None:
        """Takes a function out of the library of eager execution.

        Raises:
            NotFoundError: if there is none of this name.
        """
        text = name.decode() if isinstance(name, bytes) else name
        _kept_functions.pop(text, None)
        if eager_graph()._functions.pop(text, None) is None:
            raise NotFoundError(None, None, f"Function {text} is not defined.")

    @property
    def summary_recording_distribution_strategy(self) -> Any:
        """Whether summaries are recorded where a strategy runs this thread: all replicas do if unsaid."""
        return self._own.recording_in_strategy

    @summary_recording_distribution_strategy.setter
    def summary_recording_distribution_strategy(self, condition: Any) -> None:
        self._own.recording_in_strategy = condition

    def ones_rank_cache(self) -> EagerTensorCache:
        """Kept tensors of ones, by whoever puts them there."""
        return self._ones

    def zeros_cache(self) -> EagerTensorCache:
        """Kept tensors of zeros, by whoever puts them there."""
        return self._zeros

    def has_function(self, name: str | bytes) -> bool:
        """Whether a function of this name has been defined."""
        text = name.decode() if isinstance(name, bytes) else name
        return text in eager_graph()._functions

    @property
    def _recording(self) -> Any:
        """What says how summaries of this thread are recorded: the process's, or of another context its own."""
        return recording.state if self is _context else self._own

    @property
    def summary_writer(self) -> Any:
        """The writer of this thread's summaries, or None."""
        return self._recording.writer

    @summary_writer.setter
    def summary_writer(self, writer: Any) -> None:
        self._recording.writer = writer

    @property
    def summary_recording(self) -> Any:
        """Whether this thread's summaries are recorded: a bool, a tensor or a function of one; None if unsaid."""
        return self._recording.recording

    @summary_recording.setter
    def summary_recording(self, condition: Any) -> None:
        self._recording.recording = condition

    @property
    def summary_step(self) -> Any:
        """The step of this thread's summaries that are given none, or None."""
        return self._recording.step

    @summary_step.setter
    def summary_step(self, step: Any) -> None:
        self._recording.step = step

    @property
    def scope_name(self) -> str:
        """The name scope in force, with a final slash."""
        if self is not _context:
            return self._own.scope_name
        scope = eager_graph().get_name_scope()
        return scope + "/" if scope else ""

    @scope_name.setter
    def scope_name(self, name: str) -> None:
        if self is _context:
            eager_graph()._name_stack = name.rstrip("/")
        self._own.scope_name = name


_kept_functions: dict[str, Function] = {}
_context = Context()


def context() -> Context:
    """The surroundings of eager operations."""
    return _context


def ensure_initialized() -> None:
    """Makes what eager operations need, if that has not been done."""
    eager_graph()
