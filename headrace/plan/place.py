"""The passes that decide on which device each node runs and where values must move."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import torch

from headrace.core.device import DeviceSpec
from headrace.core.errors import InvalidArgumentError
from headrace.core.planning_facts import Role
from headrace.plan.ir import FEED, REMOTE, UNBOUND, Node, Region, Value, declared, input_positions, is_remote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headrace.core.operation import Operation
    from headrace.core.typing import DeviceSettings, Runtime, Tasks

_CPU = torch.device("cpu")
# Small integers are sizes, axes and counters: they stay where Python can read them.
_HOST_TYPES = frozenset({"int32", "string", "resource", "variant"})
# Where no scope says which task, these lie on the first one, so that sessions of all tasks find them.
_SHARED = frozenset({
    "Variable", "VariableV2", "VarHandleOp", "FIFOQueue", "FIFOQueueV2", "RandomShuffleQueue", "RandomShuffleQueueV2",
    "PaddingFIFOQueue", "PaddingFIFOQueueV2", "PriorityQueue", "PriorityQueueV2", "Barrier", "ConditionalAccumulator",
    "SparseConditionalAccumulator", "ResourceConditionalAccumulator",
})  # fmt: skip
# What reads and writes checkpoints: it may run here instead of as another task.
_CHECKPOINTS = frozenset({
    "Save", "SaveSlices", "SaveV2", "Restore", "RestoreSlice", "RestoreV2", "MergeV2Checkpoints", "ShardedFilename",
    "ShardedFilespec",
})  # fmt: skip


def assign_devices(nodes: list[Node], runtime: Runtime) -> None:
    """Sets `device` of each node: what its device scope asks for, else the session's default.

    Raises:
        InvalidArgumentError: if a scope asks for a task that is not there or, with soft placement off, a device.
    """
    default = runtime.device
    settings, tasks = runtime.settings, runtime.tasks
    logs = settings is not None and settings.log_device_placement
    for node in nodes:
        if node.region is not None:
            if tasks is not None:
                _follow_state(node, node.region)
            assign_devices(node.region.nodes, runtime)
        asked = node.origin.device if node.origin is not None else ""
        if default == _CPU and not asked and not logs and tasks is None:
            continue
        if asked:
            _check_device(node.name, node.origin, asked, runtime)
        node.device = _device_for(node, asked, default, settings, tasks)
        if logs and node.origin is not None:
            kind = "GPU" if node.device.type == "cuda" else "CPU"
            task = runtime.device_names()[0].rpartition("/")[0]
            if tasks is not None and is_remote(node):
                task = tasks.names[node.device.index]
            print(f"{node.name}: ({node.type}): {task}/device:{kind}:{node.device.index or 0}", flush=True)


def _follow_state(loop: Node, region: Region) -> None:
    """Lets what stands in a loop for a variable of another task be that task's."""
    for inner, outer in zip([*region.variables, *region.captures], loop.inputs, strict=True):
        if is_remote(outer.node) and (outer.dtype._is_ref_dtype or outer.dtype.name == "resource"):
            inner.node.device = outer.node.device


def _device_for(
    node: Node, asked: str, default: torch.device, settings: DeviceSettings | None, tasks: Tasks | None = None
) -> torch.device:
    for value in node.inputs:
        # State is changed and read where it lives.
        if value.dtype._is_ref_dtype or value.dtype.name == "resource":
            return value.node.device
    if tasks is not None:
        task = tasks.task_of(
            asked, node.decl.binding_rule is not None and node.type in _SHARED, node.type in _CHECKPOINTS
        )
        if task:
            return torch.device(REMOTE, task)
    device = default
    if asked:
        device = _parsed(asked, default)
        count = settings.gpu_count() if settings is not None else 0
        if device.type == "cuda" and (device.index or 0) >= count:
            device = default if count else _CPU
    if device.type == "cuda" and (node.decl.host_outputs or _is_host(node)):
        return _CPU
    return device


def check_devices(operations: Iterable[Operation], runtime: Runtime) -> None:
    """Checks what device scopes ask for, of operations that run and of those that do not.

    Raises:
        InvalidArgumentError: as `assign_devices`.
    """
    for operation in operations:
        if operation.device:
            _check_device(operation.name, operation, operation.device, runtime)


def _check_device(name: str, origin: Operation | None, asked: str, runtime: Runtime) -> None:
    names = runtime.device_names()
    settings = runtime.settings
    if not is_there(asked, names, settings is not None and settings.allow_soft_placement):
        raise InvalidArgumentError(
            None,
            origin,
            f"Cannot assign a device for operation {name}: node {name} was explicitly assigned to {asked} but "
            f"available devices are [ {', '.join(names)} ]. Make sure the device specification refers to a valid device; "
            "soft placement replaces a device that is missing, not a job or task.",
        )


@functools.lru_cache(maxsize=256)
def is_there(asked: str, names: tuple[str, ...], soft: bool) -> bool:
    """Whether a device scope fits one of the devices; under soft placement, one of their tasks."""
    wanted = DeviceSpec.from_string(asked)
    # Compiling is not a place of its own here.
    kind = None if wanted.device_type is None else wanted.device_type.upper().removeprefix("XLA_")
    for name in names:
        spec = DeviceSpec.from_string(name)
        pairs = [(wanted.job, spec.job), (wanted.replica, spec.replica), (wanted.task, spec.task)]
        if not soft:
            pairs += [(kind, spec.device_type), (wanted.device_index, spec.device_index)]
        if all(want is None or want == have for want, have in pairs):
            return True
    return False


@functools.lru_cache(maxsize=256)
def _parsed(asked: str, default: torch.device) -> torch.device:
    spec = DeviceSpec.from_string(asked)
    if spec.device_type is None:
        return default
    if spec.device_type.upper() == "GPU":
        return torch.device("cuda", spec.device_index or 0)
    return _CPU


def _is_host(node: Node) -> bool:
    if node.decl.variable_of is not None:
        dtype = node.attrs.get(node.decl.variable_of)
        return dtype is not None and dtype.name in ("int32", "string")
    return bool(node.outputs) and all(value.dtype.base_dtype.name in _HOST_TYPES for value in node.outputs)


def place(nodes: list[Node]) -> list[Node]:
    """Inserts a copy wherever a value is needed on a device it is not on."""
    if all(map(_all_on_cpu, nodes)):
        return nodes
    copies: dict[tuple[Value, torch.device], Value] = {}
    result: list[Node] = []
    for node in nodes:
        if node.region is not None:
            _place_inside(node, node.region)
            result.append(node)
            continue
        host = input_positions(node, node.decl.host_positions)
        for i, value in enumerate(node.inputs):
            if value.dtype._is_ref_dtype or value.dtype.name in _HOST_TYPES - {"int32"}:
                continue
            wanted = _CPU if i in host else node.device
            if value.bound is not UNBOUND and isinstance(value.bound, torch.Tensor):
                if value.bound.device != wanted:
                    node.inputs[i] = _bound_on(value, wanted, copies)
                continue
            if value.node.decl.role is Role.SWITCH:
                # A Switch passes on what it got, so the copy is made before it.
                continue
            here = _CPU if value.node.type == FEED else value.node.device
            if here != wanted:
                node.inputs[i] = _copied(value, wanted, node, copies, result)
        result.append(node)
    return result


def _all_on_cpu(node: Node) -> bool:
    return node.device == _CPU and (node.region is None or all(map(_all_on_cpu, node.region.nodes)))


def _place_inside(loop: Node, region: Region) -> None:
    """Places the inside of a loop: values come in from where they are, and go round where they came in."""
    for inner, outer in zip([*region.variables, *region.captures], loop.inputs, strict=True):
        inner.node.device = _CPU if outer.node.type == FEED else outer.node.device
        if isinstance(outer.bound, torch.Tensor):
            inner.node.device = outer.bound.device
    region.nodes = place(region.nodes)
    copies: dict[tuple[Value, torch.device], Value] = {}
    for i, (variable, following) in enumerate(zip(region.variables, region.nexts, strict=True)):
        if following.dtype._is_ref_dtype or following.dtype.name in _HOST_TYPES:
            continue
        if following.node.device != variable.node.device and following.bound is UNBOUND:
            region.nexts[i] = _copied(following, variable.node.device, following.node, copies, region.nodes)
            region.nodes[-1].early = following.node.early


def _bound_on(value: Value, device: torch.device, copies: dict[tuple[Value, torch.device], Value]) -> Value:
    copied = copies.get((value, device))
    if copied is None:
        copied = copies[value, device] = Value(value.node, value.index, value.dtype, value.dims)
        copied.bound = value.bound.to(device)
        copied.constant = value.constant
    return copied


def _copied(
    value: Value,
    device: torch.device,
    consumer: Node,
    copies: dict[tuple[Value, torch.device], Value],
    result: list[Node],
) -> Value:
    copied = copies.get((value, device))
    if copied is None:
        made, name = value.node, f"{value.node.name} to {device}"
        node = Node(declared("_Transfer"), name, [value], {}, made.origin, made.runtime, device)
        node.outputs = [Value(node, 0, value.dtype, value.dims)]
        node.guard = consumer.guard if consumer.guard == value.node.guard else value.node.guard
        node.serial = value.node.serial
        result.append(node)
        copied = copies[value, device] = node.outputs[0]
    return copied
