"""The graph: operations by name, what may be fed and fetched, collections."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.graph_scopes import ScopedGraph, device_text
from headrace.core.loop_scopes import check_loops
from headrace.core.operation import Operation
from headrace.core.stacks import default_graphs
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from tensorboard.compat.proto.attr_value_pb2 import AttrValue
    from tensorboard.compat.proto.graph_pb2 import GraphDef

    from headrace.core.registry import OpDecl


PRODUCER_VERSION = 134
MIN_CONSUMER_VERSION = 0


def _attr_of_scope(op: Operation, value: Callable[..., Any] | AttrValue | Sequence[str]) -> Any:
    """The plain value for `op` of what an attribute scope gives, which may be a function of the operation."""
    if callable(value):
        value = value(op)
    if hasattr(value, "WhichOneof"):
        value = slots.attr_from_proto(value)
    return value


class Graph(ScopedGraph):
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
    # Whether operations on its tensors are added to it while others run eagerly, as layers' symbolic tensors need it.
    holds_layers = False
    # Whether a session was made for it where it was the default graph.
    has_sessions = False
    # Of an eager graph: calls that came before, and what they came to.
    call: Any
    learn: Any
    next_op_seed: Any
    name_scope_now: Any
    array_of: Any
    tapes: Any

    def _repr_html_(self) -> str:
        """What notebooks show: the graph by scopes, and its variables."""
        return str(slots.as_html(self))

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.RLock()
        self._nodes_by_name: dict[str, Operation] = {}
        self._operations: list[Operation] = []
        self._next_op_id = 0
        # How many more operations (or fewer, below 0) missing seeds are to be counted from: see `_last_id`.
        self._uncounted = 0
        self._changes = 0
        # What `graph_def_of` keeps of it, by whether shapes are in it.
        self._written: dict[bool, Any] = {}
        self._collections: dict[Any, list[Any]] = {}
        self._seed: int | None = None
        # Whether a random op was made without a seed of its own.
        self._seed_used = False
        self._finalized = False
        self._unfetchable: set[Operation] = set()
        self._unfeedable: set[Tensor] = set()
        self._handle_feeders: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}
        # Of the oldest and the most demanding of the programs whose GraphDefs were imported, this one among them.
        self._producer_version, self._min_consumer_version = PRODUCER_VERSION, MIN_CONSUMER_VERSION

    # ---- identity and versions ----

    @property
    def version(self) -> int:
        """The number of operations ever added."""
        return self._next_op_id

    @property
    def _last_id(self) -> int:
        """What stands in for a missing seed: the number of operations that TensorFlow's graph would have by now."""
        return self._next_op_id + self._uncounted

    def _next_id(self) -> int:
        self._next_op_id += 1
        return self._next_op_id

    def _version_bump(self) -> None:
        """Says that something a plan may rest on has changed without an operation being added."""
        self._changes += 1

    @property
    def _building_function(self) -> bool:
        """Whether it is the body of a function: 1.x's name for what may be set."""
        return self.building_function

    @_building_function.setter
    def _building_function(self, value: bool) -> None:
        self.building_function = value

    @property
    def _c_graph(self) -> Graph:
        """What 1.x's library in C calls it: nothing other than itself here."""
        return self

    @property
    def graph_def_versions(self) -> Any:
        """The GraphDef versions as a `VersionDef`."""
        return slots.version_def(self._producer_version, self._min_consumer_version)

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
        decl: OpDecl,
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
                check_loops(source, context, decl.role, name)
        with self._lock:
            scopes = self._scopes
            controls = list(control_inputs)
            if scopes.control_stack:
                self._collect_control_inputs(inputs, controls)
            # Without the detour over the metaclass.
            op = type.__call__(Operation, self, decl, name, inputs, attrs, controls, "", scopes.frames)
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
            if context is not None:
                op._control_flow_context = context
            if self._default_original_op is not None:
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
            TypeError: for an input that is no tensor.
            ValueError: if the inputs or attributes do not fit the op, or the name is invalid.
        """
        from headrace.core.apply import operation_from_parts

        for index, tensor in enumerate(inputs):
            if not isinstance(tensor, Tensor):
                raise TypeError(f"{op_type}: Input #{index} is not a tensor: {tensor}")
        plain = {}
        for key, value in (attrs or {}).items():
            if hasattr(value, "WhichOneof"):
                value = slots.attr_from_proto(value)
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
            op._device = device_text(device, op)

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

    def as_graph_element(self, obj: object, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
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

    def _element_by_name(
        self, name: str, allow_tensor: bool, allow_operation: bool, allowed: str
    ) -> Operation | Tensor:
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

    # ---- collections ----

    def add_to_collection(self, name: Any, value: object) -> None:
        """Appends `value` to the collection `name`."""
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: object) -> None:
        """Appends `value` to each of the collections in `names` (one name or several, repeats ignored)."""
        names = (names,) if isinstance(names, str) else dict.fromkeys(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: str | Sequence[str]) -> list[Any]:
        """The collection's own list, made empty if it is not there."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of the collection, keeping items whose name begins as the regular expression `scope` does."""
        items = self._collections.get(name, [])
        if scope is None or not items:
            return list(items)
        match = re.compile(scope).match
        return [item for item in items if hasattr(item, "name") and match(item.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """The names of all collections that are strings."""
        return [name for name in self._collections if isinstance(name, str)]

    def clear_collection(self, name: str) -> None:
        """Empties the collection `name`."""
        self._check_not_finalized()
        self._collections.pop(name, None)

    @property
    def collections(self) -> list[Any]:
        """The names of all collections."""
        return list(self._collections)

    def as_default(self) -> contextlib.AbstractContextManager[Graph]:
        """A context in which this is the default graph of the thread."""
        return default_graphs.opened(self)

    # ---- GraphDef ----

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> GraphDef:
        """The graph as a `GraphDef` message.

        Args:
            from_version: 1.x took only operations added after this version; since 1.15 it says nothing.
            add_shapes: whether to add the inferred shapes as the attribute `_output_shapes`.
        """
        return slots.graph_def_of(self, add_shapes)

    def _as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> tuple[Any, int]:
        return self.as_graph_def(from_version, add_shapes), self.version
