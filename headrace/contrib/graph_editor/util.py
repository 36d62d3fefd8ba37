"""Lists of operations and tensors, from a graph, single elements or iterables of them; scopes of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


_PREFIX = "geph"


def concatenate_unique(la: list[Any], lb: Iterable[Any]) -> list[Any]:
    """Appends to `la` what of `lb` it lacks, and returns it."""
    have = set(la)
    for item in lb:
        if item not in have:
            la.append(item)
            have.add(item)
    return la


class ListView:
    """A list that can be read and not changed.

    Args:
        list_: the list.

    Raises:
        TypeError: if it is none.
    """

    def __init__(self, list_: list[Any]) -> None:
        if not isinstance(list_, list):
            raise TypeError(f"Expected a list, got: {type(list_)}.")
        self._list = list_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __bool__(self) -> bool:
        return bool(self._list)

    __nonzero__ = __bool__

    def __getitem__(self, i: Any) -> Any:
        return self._list[i]

    def __add__(self, other: Iterable[Any]) -> list[Any]:
        return [*self._list, *other]


def is_iterable(obj: object) -> bool:
    """Whether `obj` can be iterated over; a tensor counts as a single thing."""
    return not isinstance(obj, Tensor) and hasattr(type(obj), "__iter__")


def flatten_tree(tree: Any, leaves: list[Any] | None = None) -> list[Any]:
    """The leaves of nested dicts and iterables, in order, appended to `leaves`."""
    leaves = [] if leaves is None else leaves
    if isinstance(tree, Mapping):
        tree = list(tree.values())
    if is_iterable(tree):
        for child in tree:
            flatten_tree(child, leaves)
    else:
        leaves.append(tree)
    return leaves


def transform_tree(tree: Any, fn: Callable[[Any], Any], iterable_type: Callable[..., Any] = tuple) -> Any:
    """The same structure with `fn` of each leaf.

    Args:
        tree: nested dicts, tuples, named tuples, lists and other iterables.
        fn: gives what stands for a leaf.
        iterable_type: what becomes of iterables that are not sequences.
    """
    if not is_iterable(tree):
        return fn(tree)
    if isinstance(tree, dict):
        return type(tree)((key, transform_tree(child, fn)) for key, child in tree.items())
    children = [transform_tree(child, fn) for child in tree]
    if hasattr(tree, "_fields"):
        return type(tree)(*children)
    kind: Callable[..., Any] = type(tree) if isinstance(tree, Sequence) else iterable_type
    return kind(children)


def check_graphs(*args: Any) -> None:
    """Checks that views are of one graph; empty ones fit everywhere.

    Raises:
        ValueError: if they are not.
    """
    graph = None
    for i, view in enumerate(args):
        if graph is None:
            graph = view.graph
        elif view.graph is not None and view.graph is not graph:
            raise ValueError(f"Argument[{i}]: Wrong graph!")


def get_unique_graph(
    tops: Sequence[int | Operation | Tensor], check_types: Any = None, none_if_empty: bool = False
) -> Graph | None:
    """The one graph that operations and tensors belong to.

    Args:
        tops: an iterable of them, or a graph.
        check_types: the types allowed; operations and tensors by default.
        none_if_empty: whether the graph of nothing is None.

    Raises:
        TypeError: if an item is of another type; ValueError: if they are of several graphs, or there are none.
    """
    if isinstance(tops, Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    types = check_types or (Operation, Tensor)
    types = types if isinstance(types, tuple) else (types,)
    graph = None
    for item in tops:
        if not isinstance(item, types):
            raise TypeError(f"Expected a type in ({', '.join(str(t) for t in types)}), got: {type(item)}")
        if graph is None:
            graph = item.graph
        elif graph is not item.graph:
            raise ValueError(f"Operation {item} does not belong to given graph")
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def _listed(
    items: Any, kind: type, all_of: Callable[..., Any], check_graph: bool, allow_graph: bool, mixed: bool
) -> list[Any]:
    if isinstance(items, Graph):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return all_of(items)
    items = list(items) if is_iterable(items) else [items]
    if not items:
        return []
    if check_graph:
        get_unique_graph(items, check_types=None if mixed else kind)
    return [item for item in items if isinstance(item, kind)]


def make_list_of_op(
    ops: object, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> list[Operation]:
    """A list of operations.

    Args:
        ops: an operation, an iterable of them, or a graph.
        check_graph: whether to check that they are operations of one graph.
        allow_graph: whether `ops` may be a graph.
        ignore_ts: whether there may be tensors among them, which are left out.

    Raises:
        TypeError: if an item is no operation, or for a graph that is not allowed; ValueError: for several graphs.
    """
    return _listed(ops, Operation, lambda graph: graph.get_operations(), check_graph, allow_graph, ignore_ts)


def make_list_of_t(
    ts: object, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> list[Tensor]:
    """A list of tensors; the arguments are as those of `make_list_of_op`."""
    return _listed(ts, Tensor, get_tensors, check_graph, allow_graph, ignore_ops)


def get_tensors(graph: Graph) -> list[Tensor]:
    """All tensors of a graph, in the order in which their operations were made.

    Raises:
        TypeError: if `graph` is not a graph.

    Example:
        >>> tf.contrib.graph_editor.get_tensors(tf.get_default_graph())
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def get_generating_ops(ts: Sequence[TensorLike]) -> list[Operation]:
    """The operations that make the tensors, one for each."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: TensorLike | ListView | Graph) -> list[Operation]:
    """The operations that take any of the tensors, each once."""
    found: list[Operation] = []
    for tensor in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(found, tensor.consumers())
    return found


class ControlOutputs:
    """For each operation of a graph, those that wait for it.

    Args:
        graph: the graph.

    Raises:
        TypeError: if it is not a graph.
    """

    def __init__(self, graph: Graph) -> None:
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph
        self.update()

    def update(self) -> ControlOutputs:
        """Reads the graph again, where it has changed."""
        self._outputs: dict[Operation, list[Operation]] = {}
        for op in self._graph.get_operations():
            for control in op.control_inputs:
                self._outputs.setdefault(control, []).append(op)
        return self

    def get_all(self) -> dict[Operation, list[Operation]]:
        """The operations that others wait for, with these."""
        return self._outputs

    def get(self, op: Operation) -> Any:
        """The operations that wait for `op`."""
        return self._outputs.get(op, ())

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph


def scope_finalize(scope: str) -> str:
    """The scope with a slash at its end; the root stays empty."""
    return scope if not scope or scope.endswith("/") else f"{scope}/"


def scope_dirname(scope: str) -> str:
    """What a name has up to its last slash."""
    return scope[: scope.rfind("/") + 1]


def scope_basename(scope: str) -> str:
    """What a name has after its last slash."""
    return scope[scope.rfind("/") + 1 :]


def placeholder_name(t: TensorLike | None = None, scope: str | None = None, prefix: str = _PREFIX) -> str:
    """The name of the placeholder that stands for `t`: `<its scope>/<prefix>__<its name>_<its index>`.

    Raises:
        TypeError: if `t` is not a tensor.
    """
    if scope is not None:
        scope = scope_finalize(scope)
    if t is None:
        return f"{scope or ''}{prefix}"
    if not isinstance(t, Tensor):
        raise TypeError(f"Expected a tf.Tensor, got: {type(t)}")
    name = scope_basename(t.op.name)
    if not name.startswith(f"{prefix}__"):
        name = f"{prefix}__{name}_{t.value_index}"
    return (scope_dirname(t.op.name) if scope is None else scope) + name


def make_placeholder_from_tensor(t: Tensor, scope: str | None = None, prefix: str = _PREFIX) -> Tensor:
    """A placeholder of the type and shape of `t`, named after it."""
    return placeholder(t.dtype, t.shape, placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(
    dtype: DTypeLike, shape: Sequence[int | None] | None = None, scope: str | None = None, prefix: str = _PREFIX
) -> Tensor:
    """A placeholder of a type and shape."""
    return placeholder(dtype, shape, placeholder_name(scope=scope, prefix=prefix))


ph = make_placeholder_from_dtype_and_shape


def get_predefined_collection_names() -> list[str]:
    """The names of the collections that `tf.GraphKeys` names."""
    return [getattr(GraphKeys, key) for key in dir(GraphKeys) if not key.startswith("__")]


def find_corresponding_elem(target: TensorLike, dst_graph: Graph, dst_scope: str = "", src_scope: str = "") -> Tensor:
    """The operation or tensor of another graph, or scope, that has the same name.

    Args:
        target: an operation or tensor.
        dst_graph: the graph to look in.
        dst_scope: the scope to look in.
        src_scope: the scope that the name of `target` is relative to.

    Raises:
        ValueError: if `target` is not of `src_scope`; KeyError: if there is nothing of that name.
        TypeError: if it is neither operation nor tensor.
    """
    if not isinstance(target, (Operation, Tensor)):
        raise TypeError(f"Expected tf.Tensor or tf.Operation, got: {type(target)}")
    src_scope = scope_finalize(src_scope)
    if not target.name.startswith(src_scope):
        raise ValueError(f"{target.name} does not start with {src_scope}")
    name = scope_finalize(dst_scope) + target.name[len(src_scope) :]
    return dst_graph.get_tensor_by_name(name) if isinstance(target, Tensor) else dst_graph.get_operation_by_name(name)


def find_corresponding(
    targets: Sequence[TensorLike], dst_graph: Graph, dst_scope: str = "", src_scope: str = ""
) -> list[Tensor]:
    """What `find_corresponding_elem` finds for each of nested operations and tensors."""
    return transform_tree(targets, lambda target: find_corresponding_elem(target, dst_graph, dst_scope, src_scope))
