"""1.x's `context`: whether operations run as they are made, and what surrounds those that do."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import torch

from headrace.app import running as app
from headrace.config import optimizer_options, settings
from headrace.config.behavior import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    enable_eager_execution,
)
from headrace.config.eager_executors import (
    Executor,
    async_clear_error,
    async_wait,
    current_executor,
    execution_mode,
    executor_scope,
    is_async,
    set_execution_mode,
    set_executor,
)
from headrace.config.function_options import function_executor_type
from headrace.core import slots
from headrace.core.defaults import get_default_graph, global_graph
from headrace.core.device import DeviceSpec
from headrace.core.eager import eager_graph, eager_mode, executing_eagerly, graph_mode
from headrace.core.framework_ops import uid
from headrace.core.stacks import default_graphs
from headrace.devices.process_settings import LogicalDevice, PhysicalDevice, VirtualDeviceConfiguration
from headrace.summary import recording
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.messages import protos

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
DEVICE_PLACEMENT_SILENT_FOR_INT32 = 3

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


class _OwnScope(threading.local):
    scope_name = ""


class Context:
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
        self._own = _OwnScope()
        if execution_mode is not None:
            self.execution_mode = execution_mode

    list_physical_devices = staticmethod(settings.list_physical_devices)
    list_logical_devices = staticmethod(settings.list_logical_devices)
    get_visible_devices = staticmethod(settings.get_visible_devices)
    set_visible_devices = staticmethod(settings.set_visible_devices)
    get_memory_growth = staticmethod(settings.get_memory_growth)
    set_memory_growth = staticmethod(settings.set_memory_growth)
    get_virtual_device_configuration = staticmethod(settings.get_virtual_device_configuration)
    set_virtual_device_configuration = staticmethod(settings.set_virtual_device_configuration)
    get_optimizer_experimental_options = staticmethod(optimizer_options.get_experimental_options)
    set_optimizer_experimental_options = staticmethod(optimizer_options.set_experimental_options)

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
        return ASYNC if is_async() else SYNC

    @execution_mode.setter
    def execution_mode(self, mode: int | None) -> None:
        set_execution_mode(mode)

    @property
    def executor(self) -> Executor:
        """What runs the operations of this thread."""
        return current_executor()

    @executor.setter
    def executor(self, executor: Executor | None) -> None:
        set_executor(executor)

    @property
    def device_policy(self) -> int:
        """What is done with a tensor that lies on another device than its operation."""
        policies = {
            "explicit": DEVICE_PLACEMENT_EXPLICIT,
            "warn": DEVICE_PLACEMENT_WARN,
            "silent_for_int32": DEVICE_PLACEMENT_SILENT_FOR_INT32,
        }
        return policies.get(settings.get_device_policy(), DEVICE_PLACEMENT_SILENT)

    def is_async(self) -> bool:
        """Whether operations of this thread may return before they have run."""
        return is_async()

    @property
    def soft_device_placement(self) -> bool:
        """Whether operations run elsewhere where a device cannot run them."""
        return settings.get_soft_device_placement()

    @soft_device_placement.setter
    def soft_device_placement(self, enabled: bool) -> None:
        settings.set_soft_device_placement(enabled)

    @property
    def log_device_placement(self) -> bool:
        """Whether it is logged where operations run."""
        return settings.get_log_device_placement()

    @log_device_placement.setter
    def log_device_placement(self, enabled: bool) -> None:
        settings.set_log_device_placement(enabled)

    @property
    def intra_op_parallelism_threads(self) -> int:
        """How many threads an operation may use, 0 for all."""
        return settings.get_intra_op_parallelism_threads()

    @intra_op_parallelism_threads.setter
    def intra_op_parallelism_threads(self, num_threads: int) -> None:
        settings.set_intra_op_parallelism_threads(num_threads)

    @property
    def inter_op_parallelism_threads(self) -> int:
        """How many operations may run at the same time, 0 for as many as there are cores."""
        return settings.get_inter_op_parallelism_threads()

    @inter_op_parallelism_threads.setter
    def inter_op_parallelism_threads(self, num_threads: int) -> None:
        settings.set_inter_op_parallelism_threads(num_threads)

    @property
    def optimizer_jit(self) -> bool:
        """Whether graphs are compiled."""
        return optimizer_options.get_jit()

    @optimizer_jit.setter
    def optimizer_jit(self, enabled: bool) -> None:
        optimizer_options.set_jit(enabled)

    def has_function(self, name: str | bytes) -> bool:
        """Whether a function of this name has been defined."""
        text = name.decode() if isinstance(name, bytes) else name
        return text in eager_graph()._functions

    @property
    def summary_writer(self) -> Any:
        """The writer of this thread's summaries, or None."""
        return recording.state.writer

    @summary_writer.setter
    def summary_writer(self, writer: Any) -> None:
        recording.state.writer = writer

    @property
    def summary_recording(self) -> Any:
        """Whether this thread's summaries are recorded: a bool, a tensor or a function of one; None if unsaid."""
        return recording.state.recording

    @summary_recording.setter
    def summary_recording(self, condition: Any) -> None:
        recording.state.recording = condition

    @property
    def summary_step(self) -> Any:
        """The step of this thread's summaries that are given none, or None."""
        return recording.state.step

    @summary_step.setter
    def summary_step(self, step: Any) -> None:
        recording.state.step = step

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


_context = Context()


def context() -> Context:
    """The surroundings of eager operations."""
    return _context


def ensure_initialized() -> None:
    """Makes what eager operations need, if that has not been done."""
    eager_graph()
