"""What programs import from 1.15's `framework.ops` besides graphs, operations and tensors."""

from __future__ import annotations

import abc
import contextlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.composite import (
    IndexedSlices,
    SparseTensor,
    convert_to_tensor_or_indexed_slices,
    convert_to_tensor_or_sparse_tensor,
)
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import (
    default_session_stack,
    get_default_graph,
    graph_of_inputs,
    name_scope,
    reset_default_graph,
)
from headrace.core.eager import EagerTensor as EagerTensor
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import gradient_function
from headrace.core.registry_of_objects import previous_registration
from headrace.core.stacks import default_graphs
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_dense_tensor_like, register_dense_tensor_like_type

if TYPE_CHECKING:
    from tensorboard.compat.proto.node_def_pb2 import NodeDef

    from headrace.core.typing import DTypeLike, SessionLike, TensorLike, VariableLike


_get_graph_from_inputs = graph_of_inputs
_default_session_stack = default_session_stack()


class _TensorLike(abc.ABC):  # noqa: B024  it is asked for by `isinstance`
    """What counts as a tensor for stand-alone Keras: tensors and what is made of several, not variables."""


for _kind in (Tensor, SparseTensor, IndexedSlices):
    _TensorLike.register(_kind)


def set_shapes_for_outputs(op: Operation) -> None:
    """Nothing: operations have the shapes of their outputs from the beginning."""


set_shape_and_handle_data_for_outputs = set_shapes_for_outputs

# ---- conversion ----


def internal_convert_to_tensor(
    value: float | Tensor | VariableLike,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    ctx: Any = None,
    accepted_result_types: tuple[type, ...] = (Tensor,),
) -> Tensor:
    """`convert_to_tensor` with the arguments of 1.15's own callers.

    Args:
        value, dtype, name, as_ref, preferred_dtype: as in `convert_to_tensor`.
        ctx: the eager context, of which there is none: None.
        accepted_result_types: what the result may be.

    Raises:
        TypeError, ValueError: as `convert_to_tensor`; NotImplementedError: for an eager context.
    """
    if ctx is not None:
        raise NotImplementedError("internal_convert_to_tensor: there is no eager context; leave ctx=None.")
    result = convert_to_tensor(value, dtype, name, preferred_dtype, as_ref=as_ref)
    if not isinstance(result, accepted_result_types):
        raise RuntimeError(f"The conversion of {type(value)} gave {type(result)}, not {accepted_result_types}.")
    return result


def _numbered(name: str | None, number: int) -> str | None:
    return None if name is None else f"{name}_{number}"


def internal_convert_n_to_tensor(
    values: Iterable[Any],
    dtype: DTypeLike | None = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    ctx: Any = None,
) -> list[Any]:
    """Each of `values` through `internal_convert_to_tensor`, named `name_0`, `name_1`, …

    Raises:
        TypeError: if `values` is not a sequence.
    """
    if not hasattr(values, "__len__"):
        raise TypeError("values must be a sequence.")
    return [
        internal_convert_to_tensor(value, dtype, _numbered(name, i), as_ref, preferred_dtype, ctx)
        for i, value in enumerate(values)
    ]


def convert_to_tensor_v2(
    value: TensorLike, dtype: DTypeLike | None = None, dtype_hint: Any = None, name: str | None = None
) -> Tensor:
    """`convert_to_tensor` with the arguments in the order of TensorFlow 2."""
    return convert_to_tensor(value, dtype, name, dtype_hint=dtype_hint)


def convert_to_tensor_or_composite(value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """`value` itself where it is a composite tensor, else as a tensor."""
    if isinstance(value, IndexedSlices):
        return convert_to_tensor_or_indexed_slices(value, dtype, name)
    return convert_to_tensor_or_sparse_tensor(value, dtype, name)


def internal_convert_to_tensor_or_composite(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    """`convert_to_tensor_or_composite`; `as_ref` lets a variable give its reference."""
    if isinstance(value, (SparseTensor, IndexedSlices)):
        return convert_to_tensor_or_composite(value, dtype, name)
    return convert_to_tensor(value, dtype, name, as_ref=as_ref)


internal_convert_to_tensor_or_indexed_slices = internal_convert_to_tensor_or_composite


def internal_convert_n_to_tensor_or_composite(
    values: Iterable[Any], dtype: DTypeLike | None = None, name: str | None = None, as_ref: bool = False
) -> list[Any]:
    """Each of `values` through `internal_convert_to_tensor_or_composite`; None stays None.

    Raises:
        TypeError: if `values` is not a sequence.
    """
    if not hasattr(values, "__len__"):
        raise TypeError("values must be a sequence.")
    return [
        None if v is None else internal_convert_to_tensor_or_composite(v, dtype, _numbered(name, i), as_ref)
        for i, v in enumerate(values)
    ]


internal_convert_n_to_tensor_or_indexed_slices = internal_convert_n_to_tensor_or_composite


def convert_n_to_tensor_or_composite(
    values: Iterable[Any], dtype: DTypeLike | None = None, name: str | None = None
) -> list[Any]:
    """Each of `values` through `convert_to_tensor_or_composite`; None stays None."""
    return internal_convert_n_to_tensor_or_composite(values, dtype, name)


convert_n_to_tensor_or_indexed_slices = convert_n_to_tensor_or_composite

# ---- graphs, sessions, names ----


class _DefaultGraphStack:
    """The stack of default graphs under the name 1.15's tests use."""

    @property
    def stack(self) -> list[Graph]:
        """The graphs entered in this thread, outermost first."""
        return default_graphs.items

    def get_default(self) -> Graph:
        """The default graph."""
        return get_default_graph()

    def get_controller(self, default: Graph) -> contextlib.AbstractContextManager[Graph]:
        """A context in which `default` is the default graph."""
        return default.as_default()

    def is_cleared(self) -> bool:
        """Whether no graph is entered."""
        return not default_graphs.items

    def reset(self) -> None:
        """Empties the stack and replaces the process's default graph."""
        default_graphs.items.clear()
        reset_default_graph()


_default_graph_stack = _DefaultGraphStack()


def has_default_graph() -> bool:
    """Whether a graph has been entered with `as_default` in this thread."""
    return bool(default_graphs.items)


def default_session(session: SessionLike) -> Any:
    """A context in which `session` is the default session."""
    return _default_session_stack.opened(session)


def get_name_scope() -> str:
    """The current name scope of the default graph, without a final slash."""
    return get_default_graph().get_name_scope()


def inside_function() -> bool:
    """Whether the default graph is the body of a function."""
    return get_default_graph().building_function


def executing_eagerly_outside_functions() -> bool:
    """Whether operations run as they are made here, or around the functions that are being built here."""
    graph = get_default_graph()
    while isinstance(graph, FuncGraph):
        graph = graph.outer_graph
    return graph.is_eager


@contextlib.contextmanager
def name_scope_v2(name: str) -> Iterator[str]:
    """A name scope that must have a name.

    Raises:
        ValueError: if `name` is not a string.
    """
    if not isinstance(name, str):
        raise ValueError("name for name_scope must be a string.")
    with name_scope(name) as scope:
        yield scope


@contextlib.contextmanager
def NullContextmanager(*args: Any, **kwargs: Any) -> Iterator[None]:
    """A context that changes nothing, whatever it is given."""
    yield


_COLOCATED = r"([\^]|loc:@|^)"


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """`name`, of an operation, a control input or a colocation group, without `export_scope` at its beginning.

    Example:
        >>> strip_name_scope("loc:@a/b/c", "a"), strip_name_scope("^a/c", "a/")
        ('loc:@b/c', '^c')
    """
    if not export_scope:
        return name
    text = name.decode() if isinstance(name, bytes) else name
    return re.sub(_COLOCATED + export_scope.removesuffix("/") + r"[\/]+(.*)", r"\1\2", text, count=1)


def prepend_name_scope(name: bytes | str, import_scope: str | None) -> Any:
    """`name`, of an operation, a control input or a colocation group, with `import_scope` at its beginning.

    Example:
        >>> prepend_name_scope("^c", "a")
        '^a/c'
    """
    if not import_scope:
        return name
    text = name.decode() if isinstance(name, bytes) else name
    return re.sub(_COLOCATED + "(.*)", rf"\1{import_scope.removesuffix('/')}/\2", text, count=1)


_numbers = itertools.count(1)


def uid() -> int:
    """A number that no earlier call in this process gave."""
    return next(_numbers)


def tensor_id(tensor: Tensor) -> int:
    """A number that tells tensors apart."""
    return id(tensor)


def dismantle_graph(graph: Graph) -> None:
    """Breaks the reference cycles of a graph that is no longer used; its operations are unusable afterwards."""
    for op in graph._operations:
        op._inputs, op._control_inputs, op._control_outputs = [], [], []
        for tensor in op._outputs:
            tensor._consumers = []
        op._outputs = []
    graph._operations = []
    graph._nodes_by_name = {}
    graph._collections = {}
    graph._functions = {}
    graph._version_bump()


def _assert_same_graph(original_item: Any, item: Any) -> None:
    if original_item.graph is not item.graph:
        raise ValueError(f"{item} must be from the same graph as {original_item}.")


# ---- registries ----

ProtoFunctions = tuple[Any, Callable[..., Any] | None, Callable[..., Any] | None]
_proto_functions: dict[str, ProtoFunctions] = {}


def register_proto_function(
    collection_name: str,
    proto_type: type | None = None,
    to_proto: Callable[..., Any] | None = None,
    from_proto: Callable[..., Any] | None = None,
) -> None:
    """Registers how the items of a collection are written to a MetaGraphDef and read back.

    Args:
        collection_name: the collection.
        proto_type: the message class.
        to_proto: called as `f(item, export_scope=None)`; returns a message, or None to leave the item out.
        from_proto: called as `f(message, import_scope=None)`; returns an item.

    Raises:
        TypeError: if a function is not callable; KeyError: if the collection has functions already.
    """
    if to_proto and not callable(to_proto):
        raise TypeError("to_proto must be callable.")
    if from_proto and not callable(from_proto):
        raise TypeError("from_proto must be callable.")
    if collection_name in _proto_functions:
        known = next(filter(None, _proto_functions[collection_name]), None)
        raise KeyError(f"Registering two proto functions with name {collection_name!r}! {previous_registration(known)}")
    _proto_functions[collection_name] = (proto_type, to_proto, from_proto)


def _registered(collection_name: str) -> ProtoFunctions:
    """What is registered for a collection, by modules of ours among others, which may not have been imported yet."""
    if collection_name not in _proto_functions:
        slots.register_collections()
    return _proto_functions.get(collection_name, (None, None, None))


def get_collection_proto_type(collection_name: str) -> Any:
    """The message class registered for a collection, or None."""
    return _registered(collection_name)[0]


def get_to_proto_function(collection_name: str) -> Callable[..., Any] | None:
    """What writes the items of a collection, or None."""
    return _registered(collection_name)[1]


def get_from_proto_function(collection_name: str) -> Callable[..., Any] | None:
    """What reads the items of a collection, or None."""
    return _registered(collection_name)[2]


def get_gradient_function(op: Operation) -> Callable[..., Any] | None:
    """The gradient function of an operation; None where it has no inputs or is not differentiable.

    Raises:
        LookupError: if nothing is registered for it.
    """
    if not op.inputs:
        return None
    try:
        return gradient_function(op)
    except LookupError:
        asked_for = op.attrs.get("_gradient_op_type", op.type)
        raise LookupError(f"gradient registry has no entry for: {asked_for}") from None


_shape_functions: dict[str, Callable[..., Any]] = {}


class RegisterShape:
    """A decorator that notes a shape function of an op; shapes are inferred by the op's declaration all the same.

    1.x has not called such functions since 1.0, and refuses two for one op.

    Args:
        op_type: the op's name.

    Raises:
        TypeError: if it is no text.

    Example:
        >>> noted = RegisterShape("SomeOp")(lambda op: [op.inputs[0].get_shape()])
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any] | None) -> Callable[..., Any] | None:
        """Notes `f`.

        Raises:
            KeyError: if the op has one.
        """
        if f is not None and _shape_functions.setdefault(self._op_type, f) is not f:
            raise KeyError(f"Registering two shape functions with name '{self._op_type}'!")
        return f


class OpStats:
    """One statistic of an operation, such as its "flops".

    Args:
        statistic_type: what is counted.
        value: the count, or None where it is unknown.
    """

    def __init__(self, statistic_type: str, value: float | None = None) -> None:
        self.statistic_type = statistic_type
        self.value = value

    def __iadd__(self, other: OpStats) -> OpStats:
        if other.statistic_type != self.statistic_type:
            raise ValueError(f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}.")
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


_statistics: dict[tuple[str, str], Callable[[Graph, Any], OpStats]] = {}


class RegisterStatistics:
    """A decorator that registers how a statistic of an op type is computed, from a graph and a NodeDef.

    Example:
        >>> from headrace.python.framework import ops
        >>> @ops.RegisterStatistics("MyOp", "flops")
        ... def _my_op_flops(graph, node):
        ...     return ops.OpStats("flops", 2)
    """

    def __init__(self, op_type: str, statistic_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string.")
        if "," in op_type:
            raise TypeError("op_type must not contain a comma.")
        if not isinstance(statistic_type, str):
            raise TypeError("statistic_type must be a string.")
        if "," in statistic_type:
            raise TypeError("statistic_type must not contain a comma.")
        self._key = op_type, statistic_type

    def __call__(self, f: Callable[[Graph, Any], OpStats]) -> Callable[[Graph, Any], OpStats]:
        """Registers `f`."""
        if not f.__module__.startswith("headrace."):
            slots.register_flops()
        if self._key in _statistics:
            place = previous_registration(_statistics[self._key])
            raise KeyError(f"Registering two statistical functions with name {','.join(self._key)!r}! {place}")
        _statistics[self._key] = f
        return f


def get_stats_for_node_def(graph: Graph, node: NodeDef, statistic_type: str) -> OpStats:
    """The statistic of the operation that a NodeDef describes; without a value where none is registered."""
    slots.register_flops()
    function = _statistics.get((node.op, statistic_type))
    return OpStats(statistic_type) if function is None else function(graph, node)


__all__ = ["is_dense_tensor_like", "register_dense_tensor_like_type"]
