"""`tf.CriticalSection`: parts of steps of which one runs at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.defaults import (
    colocate_with,
    control_dependencies,
    get_collection,
    get_collection_ref,
    get_default_graph,
    name_scope,
)
from headrace.core.eager import executing_eagerly
from headrace.core.framework_ops import uid
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.kernels.composing.arranging import identity
from headrace.ops.flow import mutex  # noqa: F401  (declared for `raw`)
from headrace.ops.flow.grouping import group
from headrace.ops.flow.grouping import tuple as joined

if TYPE_CHECKING:
    from headrace.state.variable_class import Variable


# The collections of sections and of what they execute.
CRITICAL_SECTIONS = "critical_sections"
CRITICAL_SECTION_EXECUTIONS = "critical_section_executions"


class CriticalSection:
    """Runs functions so that one at a time is running, in whichever steps and threads they are.

    Args:
        name: the name of the lock's operation.
        shared_name: the name under which graphs share the lock; made of `name` by default.
        critical_section_def, import_scope: as TensorFlow would read one from a message, which is not supported.

    Raises:
        ValueError: if both a name and a message are given.
        NotImplementedError: for a message.

    Example:
        >>> v = tf.get_variable("v", initializer=3.0, use_resource=True)
        >>> section = tf.CriticalSection()
        >>> doubled = section.execute(lambda: v.assign(v.read_value() * 2.0))
        >>> sess.run(v.initializer)
        >>> sess.run(doubled)
        6.0
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if critical_section_def is not None:
            if name is not None or shared_name is not None:
                raise ValueError(
                    f"critical_section_def and shared_name are mutually exclusive; got {critical_section_def} and {shared_name}"
                )
            raise NotImplementedError(
                "CriticalSection(critical_section_def=...): make it by name and shared_name instead."
            )
        del import_scope
        with name_scope(name, "CriticalSection", []) as scope:
            if shared_name is None:
                plain = scope.rstrip("/")
                shared_name = f"{plain}_{uid()}" if executing_eagerly() else plain
            self._handle = raw.MutexV2(shared_name=shared_name, name=scope)
        if not executing_eagerly():
            get_collection_ref(CRITICAL_SECTIONS).append(self)

    @property
    def name(self) -> str:
        """The name of the lock's operation."""
        name: str = self._handle.op.name
        return name

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """What `fn` returns, computed while nothing else of this section is.

        Args:
            fn: takes nothing, returns tensors.
            exclusive_resource_access: whether no other section of the graph may use the resources that `fn` uses.
            name: a name scope.

        Raises:
            ValueError: if `fn` uses the section itself, or another section uses a resource of it and one of both wants it
                for itself.
        """
        with name_scope(name, "critical_section_execute", []):
            with colocate_with(self._handle):
                lock = raw.MutexLock(self._handle)
            if executing_eagerly():
                try:
                    return fn()
                finally:
                    raw.ConsumeMutexLock(lock)
            graph = get_default_graph()
            before = len(graph.get_operations())
            with control_dependencies([lock]):
                result = fn()
            made = graph.get_operations()[before:]
            _after_arguments(lock.op, made)
            resources = self._check_resources(made, exclusive_resource_access)
            with control_dependencies([_after(item) for item in nest.flatten(result)]):
                with colocate_with(self._handle):
                    released = raw.ConsumeMutexLock(lock)
                result = nest.pack_sequence_as(result, joined(nest.flatten(result)))
            with control_dependencies([released]):
                outputs = nest.map_structure(_after, result)
            execution = _Execution(lock.op, self._handle, resources, exclusive_resource_access)
            get_collection_ref(CRITICAL_SECTION_EXECUTIONS).append(execution)
            return outputs

    def _is_self_handle(self, handle: Tensor) -> bool:
        """Whether a tensor is this section's lock, be it by the name that locks are shared by."""
        mine = self._handle.op
        return handle is self._handle or (
            handle.op.type == "MutexV2"
            and bool(handle.op.get_attr("shared_name"))
            and handle.op.get_attr("shared_name") == mine.get_attr("shared_name")
            and handle.op.device == mine.device
        )

    def _check_resources(self, made: list[Operation], exclusive: bool) -> list[Tensor]:
        """The resources that operations use, none of which another section wants for itself."""
        used = {id(tensor): tensor for op in made for tensor in op.inputs if tensor.dtype.name == "resource"}
        if any(self._is_self_handle(tensor) for tensor in used.values()):
            raise ValueError(
                f"The function attempts to directly access the CriticalSection in which it would be running: {self.name}. "
                "It would wait for itself."
            )
        for other in get_collection(CRITICAL_SECTION_EXECUTIONS):
            if self._is_self_handle(other.handle):
                continue
            shared = [tensor for tensor in other.resources if id(tensor) in used]
            if shared and (exclusive or other.exclusive):
                raise ValueError(
                    f"This execution of CriticalSection '{self.name}' uses resources {[t.name for t in shared]} that "
                    f"'{other.handle.op.name}' uses, and one of them requested exclusive resource access; pass "
                    "exclusive_resource_access=False to both."
                )
        return list(used.values())


class _Execution:
    def __init__(self, op: Operation, handle: Tensor, resources: list[Tensor], exclusive: bool) -> None:
        self.op = op
        self.handle = handle
        self.resources = resources
        self.exclusive = exclusive


def _after(item: Operation | Tensor | Variable) -> Any:
    """The same under the control dependencies of the moment."""
    if item is None:
        return None
    if isinstance(item, Operation):
        return group(item)
    return item.identity() if isinstance(item, TensorArray) else identity(item)


def _after_arguments(lock: Operation, made: list[Operation]) -> None:
    """Has what `made` takes from outside computed before the lock is taken: it may need the lock itself."""
    inside = {*made, lock, *lock.control_inputs, *(tensor.op for tensor in lock.inputs)}
    taken = [tensor.op for op in made for tensor in op.inputs] + [other for op in made for other in op.control_inputs]
    outside = [op for op in dict.fromkeys(taken) if op not in inside]
    if outside:
        lock._add_control_input(group(*outside))
