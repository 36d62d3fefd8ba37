"""What is open while operations are added to a graph: control dependencies, devices, colocation, names, attributes."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.convert import convert_to_tensor
from headrace.core.device import DeviceSpecV2, merge_device
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.core.traceable_stack import TraceableObject
from headrace.util.callsite import Frames, innermost

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/]*\Z")
VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\-/]*\Z")


class Controller:
    """One `control_dependencies` block: what new operations must wait for."""

    def __init__(self, graph: ScopedGraph, control_inputs: list[Operation], new_stack: bool) -> None:
        self.graph = graph
        self.control_inputs = control_inputs
        self.new_stack = new_stack
        self.seen: set[Operation] = set()
        self.previous_stack: list[Controller] = []
        self.previous_context: Any = None

    def __enter__(self) -> None:
        graph = self.graph
        if self.new_stack:
            # control_dependencies(None) also leaves any control flow context.
            self.previous_stack = graph._control_dependencies_stack
            graph._control_dependencies_stack = []
            self.previous_context = graph._get_control_flow_context()
            graph._set_control_flow_context(None)
        graph._control_dependencies_stack = [*graph._control_dependencies_stack, self]

    def __exit__(self, *_: object) -> None:
        graph = self.graph
        if not graph._control_dependencies_stack or graph._control_dependencies_stack[-1] is not self:
            raise AssertionError("control_dependencies blocks must be left in the reverse order of entering them.")
        graph._control_dependencies_stack = graph._control_dependencies_stack[:-1]
        if self.new_stack:
            graph._control_dependencies_stack = self.previous_stack
            graph._set_control_flow_context(self.previous_context)


class OpenScopes(threading.local):
    """What each thread that builds one graph has open."""

    def __init__(self) -> None:
        self.devices: list[Any] = []
        self.control_stack: list[Controller] = []
        self.colocation: list[Operation] = []
        self.colocation_origins: list[TraceableObject] = []
        self.name_stack = ""
        # Where in the program all operations are made, while many are made at one place.
        self.frames: Frames | None = None


def device_merger(merge: Callable[[Any], Any]) -> Callable[[Operation], str]:
    def merged(op: Operation) -> str:
        result = merge(op)
        return device_text(result, op)

    return merged


def device_text(given: Any, op: Operation) -> str:
    """The name of the device that a device function gives for an operation.

    Raises:
        TypeError: if it is no device.
    """
    if isinstance(given, str):
        return given
    if not hasattr(given, "to_string"):
        raise TypeError(f"tf.device: a device function gives a device or its name, and gave {given!r} for {op.name}")
    return str(given.to_string())


def device_scope(
    given: str | Callable[..., Any] | DeviceSpecV2 | None, refusal: type[Exception] | None = None
) -> Callable[..., Any] | None:
    """What a device scope does to operations made in it.

    Its attribute `origin` is the place in the program, and `named` the device; None where a function decides.

    Args:
        given: what `tf.device` was given; None gives None.
        refusal: the class of the error of what says nothing of devices, where it is another.

    Raises:
        AttributeError: if it says nothing of devices; TypeError if it is a list or a dict.
    """
    if given is None:
        return None
    if isinstance(given, (str, DeviceSpecV2)):
        shown = given if isinstance(given, str) else given.to_string()
        scope = device_merger(merge_device(given))
    elif callable(given):
        code = getattr(given, "__code__", None)
        name = getattr(given, "__name__", type(given).__name__)
        shown = name if code is None else f"{name}<{code.co_filename}, {code.co_firstlineno}>"

        def scope(op: Operation) -> str:
            return given(op)
    else:
        # TensorFlow looks it up among the devices it knows before it takes it apart, and asks whether there is one.
        if refusal is None and getattr(given, "_is_graph_tensor", False):
            bool(given)
        kind = refusal or (
            AttributeError if isinstance(given, Hashable) and not isinstance(given, bytes) else TypeError
        )
        raise kind(f"device must be a string, DeviceSpec, function or None, got {given!r}.")
    scope.origin = TraceableObject(shown, *innermost())  # type: ignore[attr-defined]  # functions take any attribute
    scope.named = None if callable(given) else given  # type: ignore[attr-defined]  # functions take any attribute
    return scope


def _check_map_of_strings(name: str, value: Mapping[str, int | str]) -> None:
    if not isinstance(value, dict) or not all(isinstance(part, str) for item in value.items() for part in item):
        raise TypeError(f"{name} must be a dictionary mapping strings to strings")


class ScopedGraph:
    """The part of a graph that is about the scopes open in it: what they say of operations made inside."""

    # The tensor or operation that an object or name stands for.
    as_graph_element: Callable[..., Any]

    def __init__(self) -> None:
        self._names_in_use: dict[str, int] = {}
        self._scopes = OpenScopes()
        self._context: Any = None
        self._scope_attrs: dict[str, Any] = {}
        self._kernel_labels: dict[str, str] = {}
        self._gradient_override: dict[str, str] = {}
        self._default_original_op: Operation | None = None
        self._container = ""

    @property
    def _name_stack(self) -> str:
        return self._scopes.name_stack

    @_name_stack.setter
    def _name_stack(self, value: str) -> None:
        self._scopes.name_stack = value

    def get_name_scope(self) -> str:
        """The current name scope, without a final slash."""
        return self._scopes.name_stack

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name not used before in this graph, made of the name scope, `name` and, where needed, a number."""
        stack = self._scopes.name_stack
        if stack:
            name = f"{stack}/{name}"
        # Names that differ only by case would clash on some file systems, so they count as the same.
        key = name.lower()
        used = self._names_in_use
        count = used.get(key, 0)
        if mark_as_used:
            used[key] = count + 1
        if count > 0:
            numbered = key
            while numbered in used:
                numbered = f"{key}_{count}"
                count += 1
            if mark_as_used:
                used[numbered] = 1
            name = f"{name}_{count - 1}"
        return name

    def _enable_auto_casting_variables(self, dtype: Any) -> Any:
        """A block in which Keras' variables of mixed precision are read in a type, None for their own."""
        return slots.auto_casting(dtype)

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Prefixes the names of what is made inside with `name`.

        Args:
            name: a scope name; a name ending in '/' re-enters that very scope; None or '' goes back to the root.

        Yields:
            the full scope name with a final '/', or '' at the root.

        Raises:
            ValueError: if `name` is not a valid scope name.
        """
        if name:
            if isinstance(name, bytes):
                name = name.decode()
            pattern = VALID_SCOPE_NAME if self._scopes.name_stack else VALID_OP_NAME
            if not pattern.match(name):
                raise ValueError(f"'{name}' is not a valid scope name")
        old = self._scopes.name_stack
        if not name:
            new = ""
        elif name.endswith("/"):
            new = name[:-1]
        else:
            new = self.unique_name(name)
        self._scopes.name_stack = new
        try:
            yield "" if not new else new + "/"
        finally:
            self._scopes.name_stack = old

    @property
    def _control_dependencies_stack(self) -> list[Controller]:
        return self._scopes.control_stack

    @_control_dependencies_stack.setter
    def _control_dependencies_stack(self, value: list[Controller]) -> None:
        self._scopes.control_stack = value

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Controller:
        """A context in which new operations run after `control_inputs`.

        Args:
            control_inputs: operations, tensors, variables or names; None clears the dependencies in force.

        Raises:
            TypeError: if an item is not convertible to an operation or tensor.
        """
        if control_inputs is None:
            return Controller(self, [], True)
        ops: list[Operation] = []
        for item in control_inputs:
            if hasattr(item, "_as_control_input"):
                item = item._as_control_input()
            element = self.as_graph_element(item)
            op = element.op if isinstance(element, Tensor) else element
            if op not in ops:
                ops.append(op)
        return Controller(self, ops, False)

    def _get_control_flow_context(self) -> Any:
        return self._context

    def _set_control_flow_context(self, context: Any) -> None:
        self._context = context

    def _device_scope(self, given: Any) -> Callable[..., Any] | None:
        return device_scope(given)

    @contextlib.contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """A context in which new operations are asked to run on a device.

        Args:
            device_name_or_function: "/gpu:0", a `DeviceSpec`, a function of the operation that returns one, or None
                to forget outer device scopes.
        """
        scopes = self._scopes
        spec = self._device_scope(device_name_or_function)
        old = scopes.devices
        scopes.devices = opened = [*old, spec]
        try:
            yield
        finally:
            if scopes.devices is not opened:
                raise RuntimeError("Exiting device scope without proper scope nesting.")
            scopes.devices = old

    @contextlib.contextmanager
    def _under_device_scopes(self, scopes: list[Any]) -> Iterator[None]:
        """A context in which device scopes, of this or another graph, are the open ones."""
        own = self._scopes
        old, own.devices = own.devices, scopes
        try:
            yield
        finally:
            own.devices = old

    @property
    def _device_functions_outer_to_inner(self) -> list[Any]:
        """What the open device scopes do, the outermost first."""
        return list(self._scopes.devices)

    def _snapshot_device_function_stack_metadata(self) -> list[TraceableObject]:
        """The open device scopes and where they were opened, the innermost first."""
        return [scope.origin for scope in reversed(self._scopes.devices) if scope is not None]

    @contextlib.contextmanager
    def colocate_with(self, op: TensorLike | Operation | None, ignore_existing: bool = False) -> Iterator[None]:
        """A context in which new operations go where `op` (an operation, tensor or variable; None forgets) is."""
        scopes = self._scopes
        old, old_devices, old_origins = scopes.colocation, scopes.devices, scopes.colocation_origins
        if op is None:
            if not ignore_existing:
                raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
            scopes.colocation, scopes.colocation_origins = [], []
        else:
            if hasattr(op, "_as_colocation"):
                element = op._as_colocation()
            else:
                element = op._as_control_input() if hasattr(op, "_as_control_input") else op
            if not isinstance(element, Tensor | Operation):
                # A number, a text or a list is a constant, as wherever a tensor is taken.
                element = convert_to_tensor(element)
            element = self.as_graph_element(element)
            target = element.op if isinstance(element, Tensor) else element
            scopes.colocation = [target] if ignore_existing else [*old, target]
            origin = TraceableObject(target._name, *innermost())
            scopes.colocation_origins = [origin] if ignore_existing else [*old_origins, origin]
        # The device comes from `op`, not from the scopes that are open around this block.
        scopes.devices = []
        try:
            yield
        finally:
            scopes.colocation, scopes.devices, scopes.colocation_origins = old, old_devices, old_origins

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """A context in which new operations of the given types use another registered gradient.

        Args:
            op_type_map: op type to the name given to `tf.RegisterGradient`.
        """
        _check_map_of_strings("op_type_map", op_type_map)
        old = self._gradient_override
        self._gradient_override = {**old, **op_type_map}
        try:
            yield
        finally:
            self._gradient_override = old

    @contextlib.contextmanager
    def _attr_scope_of(self, attrs: dict[str, Any]) -> Iterator[None]:
        old = self._scope_attrs
        self._scope_attrs = {k: v for k, v in {**old, **attrs}.items() if v is not None}
        try:
            yield
        finally:
            self._scope_attrs = old

    @contextlib.contextmanager
    def _attr_scope(self, attr_map: dict[str, Any]) -> Iterator[None]:
        """A context in which new operations have attributes: `AttrValue` messages, functions of the operation that
        return one, or None for no longer having it."""
        requirement = "attr_map must be a dictionary mapping strings to AttrValue protocol buffers"
        if not isinstance(attr_map, dict):
            raise TypeError(requirement)
        for key, value in attr_map.items():
            if not isinstance(key, str) or not (value is None or callable(value) or hasattr(value, "WhichOneof")):
                raise TypeError(f"{requirement} or callables that emit AttrValue protocol buffers")
        with self._attr_scope_of(attr_map):
            yield

    @contextlib.contextmanager
    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]) -> Iterator[None]:
        """A context in which new operations of the given types have a label as their attribute `_kernel`."""
        _check_map_of_strings("op_to_kernel_label_map", op_to_kernel_label_map)
        old = self._kernel_labels
        self._kernel_labels = {**old, **op_to_kernel_label_map}
        try:
            yield
        finally:
            self._kernel_labels = old

    def _variable_creator_scope(self, creator: Any, priority: int = 100) -> contextlib.AbstractContextManager[None]:
        """`tf.variable_creator_scope` in this graph. The creator inside passes on to the one outside, whatever their
        priorities."""
        scope: contextlib.AbstractContextManager[None] = slots.variable_creator_scope(creator, self)
        return scope

    def switch_to_thread_local(self) -> None:
        """Nothing to switch: what is open around new operations is each thread's own from the beginning."""

    @contextlib.contextmanager
    def _original_op_of(self, op: Operation) -> Iterator[None]:
        old = self._default_original_op
        self._default_original_op = op
        try:
            yield
        finally:
            self._default_original_op = old

    _original_op = _original_op_of

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """A context in which new stateful operations keep their state in the named container."""
        old = self._container
        self._container = container_name
        try:
            yield container_name
        finally:
            self._container = old


class OpenNameScope:
    """A name scope that has been entered."""

    __slots__ = ("outer", "scope", "scopes")

    def __init__(self, scopes: Any, outer: str, scope: str) -> None:
        self.scopes = scopes
        self.outer = outer
        self.scope = scope

    def __exit__(self, *exc: Any) -> None:
        self.scopes.name_stack = self.outer
