"""The graph: operations by name, the scopes that shape new ones, collections, and the stack of default graphs."""

from __future__ import annotations

import contextlib
import importlib
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from headrace.core.callsite import innermost
from headrace.core.graph_scopes import Controller, OpenScopes, device_scope
from headrace.core.loop_scopes import check_loops
from headrace.core.operation import Operation, Tensor
from headrace.core.stacks import default_graphs
from headrace.core.traceable_stack import TraceableObject

_VALID_OP_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\-/]*\Z")
_VALID_SCOPE_NAME = re.compile(r"^[A-Za-z0-9_.\-/]*\Z")

PRODUCER_VERSION = 134
MIN_CONSUMER_VERSION = 0


def _attr_of_scope(op: Operation, value: Any) -> Any:
    """The plain value for `op` of what an attribute scope gives, which may be a function of the operation."""
    if callable(value):
        value = value(op)
    if hasattr(value, "WhichOneof"):
        value = importlib.import_module("headrace.interop.node_def").attr_from_proto(value)
    return value


def _check_map_of_strings(name: str, value: Any) -> None:
    if not isinstance(value, dict) or not all(isinstance(part, str) for item in value.items() for part in item):
        raise TypeError(f"{name} must be a dictionary mapping strings to strings")


class Graph:
    """A dataflow program: operations, the tensors between them, and named collections.

    Example:
        >>> g = tf.Graph()
        >>> with g.as_default():
        ...     c = tf.constant(30.0)
        >>> c.graph is g
        True
    """

    # Whether operations run as they are made: see `core.eager`.
    is_eager = False
    # Whether it is the body of a function.
    building_function = False
    # Of an eager graph: calls that came before, and what they came to.
    call: Any
    learn: Any
    next_op_seed: Any
    name_scope_now: Any
    array_of: Any
    tapes: Any

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._nodes_by_name: dict[str, Operation] = {}
        self._operations: list[Operation] = []
        self._next_op_id = 0
        self._changes = 0
        self._names_in_use: dict[str, int] = {}
        self._scopes = OpenScopes()
        self._context: Any = None
        self._collections: dict[Any, list[Any]] = {}
        self._seed: int | None = None
        self._finalized = False
        self._unfetchable: set[Operation] = set()
        self._unfeedable: set[Tensor] = set()
        self._scope_attrs: dict[str, Any] = {}
        self._kernel_labels: dict[str, str] = {}
        self._gradient_override: dict[str, str] = {}
        self._handle_feeders: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}
        self._default_original_op: Operation | None = None
        self._container = ""

    # ---- identity and versions ----

    @property
    def version(self) -> int:
        """The number of operations ever added."""
        return self._next_op_id

    @property
    def _last_id(self) -> int:
        return self._next_op_id

    def _next_id(self) -> int:
        self._next_op_id += 1
        return self._next_op_id

    def _version_bump(self) -> None:
        """Says that something a plan may rest on has changed without an operation being added."""
        self._changes += 1

    @property
    def _c_graph(self) -> Graph:
        """What 1.x's library in C calls it: nothing other than itself here."""
        return self

    @property
    def graph_def_versions(self) -> Any:
        """The GraphDef versions as a `VersionDef`."""
        return importlib.import_module("headrace.interop.node_def").version_def(PRODUCER_VERSION, MIN_CONSUMER_VERSION)

    @property
    def seed(self) -> int | None:
        """The graph-level random seed."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed

    @property
    def finalized(self) -> bool:
        """True once no more operations may be added."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = False

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    # ---- operations ----

    def add_operation(
        self,
        decl: Any,
        inputs: list[Tensor],
        attrs: dict[str, Any],
        name: str,
        output_types: Sequence[Any],
        control_inputs: Sequence[Operation] = (),
    ) -> Operation:
        """Adds an operation under the open scopes and infers its output shapes.

        `name` is a full, already unique name. Applying an op goes through `core.apply`, which checks inputs and
        attributes; this is the part that is about the graph.
        """
        self._check_not_finalized()
        context = self._context
        for tensor in inputs:
            source = tensor._op
            if source._graph is not self:
                raise ValueError(
                    f"Tensor {tensor} must be from the same graph as the operation {name!r} ({decl.type}) that takes it."
                )
            if source._control_flow_context is not None and source._control_flow_context is not context:
                check_loops(source, context, decl.type, name)
        with self._lock:
            scopes = self._scopes
            controls = list(control_inputs)
            if scopes.control_stack:
                self._collect_control_inputs(inputs, controls)
            # Without the detour over the metaclass.
            op = type.__call__(Operation, self, decl, name, inputs, attrs, controls, "")
            if self._scope_attrs:
                for key, value in self._scope_attrs.items():
                    if key not in attrs:
                        attr = _attr_of_scope(op, value)
                        if attr is not None:
                            attrs[key] = attr
            if self._kernel_labels and decl.type in self._kernel_labels:
                attrs.setdefault("_kernel", self._kernel_labels[decl.type])
            if self._container and decl.stateful and "container" in decl.signature.attrs:
                attrs["container"] = attrs.get("container") or self._container
            if self._gradient_override and decl.type in self._gradient_override:
                attrs["_gradient_op_type"] = self._gradient_override[decl.type]
            op._control_flow_context = context
            op._original_op = self._default_original_op
            outputs = [Tensor(op, i, dtype) for i, dtype in enumerate(output_types)]
            op._outputs = outputs
            if outputs or decl.shape_rule is not None:
                shapes = decl.infer_shapes(op)
                for tensor, dims in zip(outputs, shapes, strict=True):
                    tensor.dims = dims
            self._nodes_by_name[name] = op
            self._operations.append(op)
            if scopes.control_stack:
                for controller in scopes.control_stack:
                    controller.seen.add(op)
            if self._context is not None:
                self._context.AddOp(op)
            if scopes.devices:
                self._apply_devices(op)
            if scopes.colocation:
                self._apply_colocation(op)
        return op

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        dtypes: Sequence[Any] | None = None,
        input_types: Sequence[Any] | None = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Creates an operation of type `op_type` from already converted inputs.

        Args:
            op_type: a declared op type.
            inputs: the input tensors, lists flattened.
            dtypes: the output types; checked against the op's own when given.
            input_types: checked by the op's signature.
            name: its name under the current name scope; `op_type` by default.
            attrs: attribute values, plain or as `AttrValue` messages.
            op_def, compute_shapes, compute_device: accepted for 1.x callers; types come from the declared op and
                shapes are always inferred.

        Raises:
            ValueError: if the inputs or attributes do not fit the op, or the name is invalid.
        """
        from headrace.core.apply import operation_from_parts

        plain = {}
        for key, value in (attrs or {}).items():
            if hasattr(value, "WhichOneof"):
                value = importlib.import_module("headrace.interop.node_def").attr_from_proto(value)
            plain[key] = value
        return operation_from_parts(self, op_type, list(inputs), plain, name, dtypes)

    def _create_op_internal(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        dtypes: Sequence[Any] | None = None,
        input_types: Sequence[Any] | None = None,
        name: str | None = None,
        attrs: dict[str, Any] | None = None,
        op_def: Any = None,
        compute_device: bool = True,
    ) -> Operation:
        return self.create_op(op_type, inputs, dtypes, input_types, name, attrs, op_def, True, compute_device)

    @property
    def _version(self) -> int:
        return self.version

    @property
    def _nodes_by_id(self) -> dict[int, Operation]:
        return {op._id: op for op in self._operations}

    def _collect_control_inputs(self, inputs: list[Tensor], controls: list[Operation]) -> None:
        """Adds what the open control_dependencies blocks ask for.

        A block asks nothing of an operation that already consumes something made inside the block: it waits
        through that input.
        """
        have = set(controls)
        input_ops = {tensor._op for tensor in inputs}
        for controller in self._scopes.control_stack:
            if not input_ops.isdisjoint(controller.seen):
                continue
            for op in controller.control_inputs:
                if op not in have and op not in input_ops:
                    have.add(op)
                    controls.append(op)

    def _apply_devices(self, op: Operation) -> None:
        op._device_scopes = self._scopes.devices
        for spec in reversed(self._scopes.devices):
            if spec is None:
                break
            device = spec(op) if callable(spec) else spec
            op._device = device if isinstance(device, str) else (device.to_string() if device is not None else "")

    def _apply_colocation(self, op: Operation) -> None:
        # What colocation says takes the place of a `_class` that an attribute scope gave.
        groups: list[str] = []
        op._colocation_scopes = self._scopes.colocation_origins
        for other in self._scopes.colocation:
            for group in other.colocation_groups():
                text = group.decode()
                if text not in groups:
                    groups.append(text)
            if other.device:
                op._device = other.device
        op.attrs["_class"] = sorted(groups)

    def get_operations(self) -> list[Operation]:
        """All operations, in the order they were made."""
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation called `name`.

        Raises:
            TypeError: if `name` is not a string.
            KeyError: if there is none.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor called `name` ("op:0").

        Raises:
            TypeError: if `name` is not a string.
            KeyError: if there is none; ValueError: if `name` is not a tensor name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    _get_operation_by_name_unsafe = get_operation_by_name

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor or operation of this graph that `obj` (an object or a name) stands for.

        Raises:
            TypeError: if `obj` cannot stand for an allowed kind.
            ValueError: if it is of another graph or the name has a wrong form; KeyError: if it is not in the graph.
        """
        if allow_tensor and allow_operation:
            allowed = "Tensor or Operation"
        elif allow_tensor:
            allowed = "Tensor"
        elif allow_operation:
            allowed = "Operation"
        else:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        converter = getattr(obj, "_as_graph_element", None)
        if converter is not None:
            obj = converter()
        if isinstance(obj, bytes):
            obj = obj.decode()
        if isinstance(obj, str):
            return self._element_by_name(obj, allow_tensor, allow_operation, allowed)
        if isinstance(obj, Tensor) and allow_tensor:
            if obj.graph is not self:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {allowed}.")

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool, allowed: str) -> Any:
        if ":" in name and allow_tensor:
            op_name, _, index_text = name.rpartition(":")
            if ":" in op_name or not index_text.isdigit():
                raise ValueError(
                    f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor names must be of the "
                    'form "<op_name>:<output_index>".'
                )
            op = self._nodes_by_name.get(op_name)
            if op is None:
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, does not "
                    "exist in the graph."
                )
            index = int(index_text)
            if index >= len(op._outputs):
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, {op_name!r}, exists but "
                    f"only has {len(op._outputs)} outputs."
                )
            return op._outputs[index]
        if ":" in name:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {allowed}.")
        op = self._nodes_by_name.get(name)
        if not allow_operation:
            if op is None:
                raise ValueError(
                    f"The name {name!r} looks like an (invalid) Operation name, not a {allowed}. Tensor names must be of "
                    'the form "<op_name>:<output_index>".'
                )
            raise ValueError(
                f"The name {name!r} refers to an Operation, not a {allowed}. Tensor names must be of the form "
                '"<op_name>:<output_index>".'
            )
        if op is None:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return op

    # ---- fetching and feeding ----

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Marks `tensor` as unfeedable."""
        self._unfeedable.add(tensor)
        self._version_bump()

    def is_feedable(self, tensor: Tensor) -> bool:
        """Whether `tensor` may be fed."""
        return tensor not in self._unfeedable

    def prevent_fetching(self, op: Operation) -> None:
        """Marks `op` as unfetchable."""
        self._unfetchable.add(op)
        self._version_bump()

    def is_fetchable(self, tensor_or_op: Tensor | Operation) -> bool:
        """Whether `tensor_or_op` may be fetched."""
        op = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return op not in self._unfetchable

    # ---- names ----

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
            pattern = _VALID_SCOPE_NAME if self._scopes.name_stack else _VALID_OP_NAME
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

    # ---- collections ----

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends `value` to the collection `name`."""
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends `value` to each of the collections in `names` (one name or several, repeats ignored)."""
        names = (names,) if isinstance(names, str) else dict.fromkeys(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The collection's own list, made empty if it is not there."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of the collection, keeping items whose name begins as the regular expression `scope` does."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        match = re.compile(scope).match
        return [item for item in items if hasattr(item, "name") and match(item.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """The names of all collections that are strings."""
        return [name for name in self._collections if isinstance(name, str)]

    def clear_collection(self, name: Any) -> None:
        """Empties the collection `name`."""
        self._check_not_finalized()
        self._collections.pop(name, None)

    @property
    def collections(self) -> list[Any]:
        """The names of all collections."""
        return list(self._collections)

    # ---- scopes that shape new operations ----

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

    @contextlib.contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """A context in which new operations are asked to run on a device.

        Args:
            device_name_or_function: "/gpu:0", a `DeviceSpec`, a function of the operation that returns one, or None
                to forget outer device scopes.
        """
        scopes = self._scopes
        spec = device_scope(device_name_or_function)
        old = scopes.devices
        scopes.devices = opened = [*old, spec]
        try:
            yield
        finally:
            if scopes.devices is not opened:
                raise RuntimeError("Exiting device scope without proper scope nesting.")
            scopes.devices = old

    @property
    def _device_functions_outer_to_inner(self) -> list[Any]:
        """What the open device scopes do, the outermost first."""
        return list(self._scopes.devices)

    def _snapshot_device_function_stack_metadata(self) -> list[TraceableObject]:
        """The open device scopes and where they were opened, the innermost first."""
        return [scope.origin for scope in reversed(self._scopes.devices) if scope is not None]

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """A context in which new operations go where `op` (an operation, tensor or variable; None forgets) is."""
        scopes = self._scopes
        old, old_devices, old_origins = scopes.colocation, scopes.devices, scopes.colocation_origins
        if op is None:
            if not ignore_existing:
                raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
            scopes.colocation, scopes.colocation_origins = [], []
        else:
            element = self.as_graph_element(op._as_control_input() if hasattr(op, "_as_control_input") else op)
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
        wanted = "attr_map must be a dictionary mapping strings to AttrValue protocol buffers"
        if not isinstance(attr_map, dict):
            raise TypeError(wanted)
        for key, value in attr_map.items():
            if not isinstance(key, str) or not (value is None or callable(value) or hasattr(value, "WhichOneof")):
                raise TypeError(f"{wanted} or callables that emit AttrValue protocol buffers")
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
        scope: contextlib.AbstractContextManager[None] = importlib.import_module(
            "headrace.state.scoping"
        ).variable_creator_scope(creator, self)
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

    def as_default(self) -> contextlib.AbstractContextManager[Graph]:
        """A context in which this is the default graph of the thread."""
        return default_graphs.opened(self)

    # ---- GraphDef ----

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a `GraphDef` message.

        Args:
            from_version: 1.x took only operations added after this version; since 1.15 it says nothing.
            add_shapes: whether to add the inferred shapes as the attribute `_output_shapes`.
        """
        return importlib.import_module("headrace.interop.graph_def").graph_def_of(self, add_shapes)

    def _as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> tuple[Any, int]:
        return self.as_graph_def(from_version, add_shapes), self.version
