"""Views of a part of a graph: some operations, with the tensors that go in and come out in an order of choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.graph_editor.select import (
    compute_boundary_ts,
    get_name_scope_ops,
    get_walks_union_ops,
    select_ops_and_ts,
)
from headrace.contrib.graph_editor.util import (
    ListView,
    concatenate_unique,
    get_unique_graph,
    make_list_of_op,
    make_list_of_t,
)
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _positions(selected: Iterable[Any], tensors: Sequence[Tensor], may_repeat: bool) -> list[int]:
    """Where in `tensors` each of `selected`, a tensor or an index, is.

    Raises:
        ValueError: if one is not there, or is named twice where it must not be.
    """
    found = [item if isinstance(item, int) else tensors.index(item) for item in selected]
    for index in found:
        if not 0 <= index < len(tensors):
            raise ValueError(f"Out of [0, {len(tensors)}[ range: {index}")
    if not may_repeat and len(set(found)) != len(found):
        raise ValueError(f"Found repetition in mapping: {found}")
    return found


class SubGraphView:
    """Operations of a graph and the tensors at their border.

    The inputs are the tensors that come from outside, the outputs those that go outside or nowhere. Both are in
    an order that `remap` changes; it does so in a new view. Passthrough tensors are inputs and outputs at once
    and belong to no operation of the view.

    Args:
        inside_ops: the operations, or what `make_list_of_op` makes a list of.
        passthrough_ts: tensors that go straight through; those at the border already are left out.

    Raises:
        TypeError, ValueError: if the arguments are of a wrong type or of several graphs.

    Example:
        >>> view = tf.contrib.graph_editor.sgv("^encoder/", graph=tf.get_default_graph())
        >>> list(view.inputs)
    """

    def __init__(self, inside_ops: Sequence[Operation] = (), passthrough_ts: TensorLike | ListView = ()) -> None:
        ops = make_list_of_op(inside_ops)
        passing = make_list_of_t(passthrough_ts)
        self._graph: Graph | None = get_unique_graph([*ops, *passing]) if ops or passing else None
        self._ops: list[Operation] = ops
        inputs, outputs, inside = compute_boundary_ts(ops)
        at_border = {*inputs, *outputs, *inside}
        self._passthrough_ts: list[Tensor] = [t for t in passing if t not in at_border]
        self._input_ts: list[Tensor] = inputs + self._passthrough_ts
        self._output_ts: list[Tensor] = outputs + self._passthrough_ts

    def __copy__(self) -> SubGraphView:
        other = type(self).__new__(type(self))
        other._assign_from(self)
        return other

    def copy(self) -> SubGraphView:
        """A view of the same operations that can be changed by itself."""
        return self.__copy__()

    def _assign_from(self, other: SubGraphView) -> None:
        if not isinstance(other, SubGraphView):
            raise TypeError(f"Expected SubGraphView, got: {type(other)}")
        self._graph = other._graph
        self._ops = list(other._ops)
        self._passthrough_ts = list(other._passthrough_ts)
        self._input_ts = list(other._input_ts)
        self._output_ts = list(other._output_ts)

    # ---- other orders of inputs and outputs ----

    def remap_default(self, remove_input_map: bool = True, remove_output_map: bool = True) -> SubGraphView:
        """The view with its inputs, its outputs or both as they were before any remapping."""
        view = self.copy()
        inputs, outputs, _ = compute_boundary_ts(self._ops)
        if remove_input_map:
            view._input_ts = inputs + self._passthrough_ts
        if remove_output_map:
            view._output_ts = outputs + self._passthrough_ts
        return view

    def remap_inputs(self, new_input_indices: Iterable[Any]) -> SubGraphView:
        """The view with other inputs.

        Args:
            new_input_indices: inputs, or indices of inputs, in the order wanted. What is not named ceases to be an
                input of the view; nothing may be named twice.

        Raises:
            ValueError: if one is no input, or is named twice.
        """
        return self.remap(new_input_indices=new_input_indices)

    def remap_outputs(self, new_output_indices: Iterable[Any]) -> SubGraphView:
        """The view with other outputs: as `remap_inputs`, but an output may be named more than once."""
        return self.remap(new_output_indices=new_output_indices)

    def remap(
        self, new_input_indices: Iterable[Any] | None = None, new_output_indices: Iterable[Any] | None = None
    ) -> SubGraphView:
        """The view with other inputs and outputs; None leaves them as they are.

        Raises:
            ValueError: as `remap_inputs`.
        """
        view = self.copy()
        if new_input_indices is not None:
            view._input_ts = [self._input_ts[i] for i in _positions(new_input_indices, self._input_ts, False)]
        if new_output_indices is not None:
            view._output_ts = [self._output_ts[i] for i in _positions(new_output_indices, self._output_ts, True)]
        return view

    def remap_outputs_make_unique(self) -> SubGraphView:
        """The view with every output once."""
        view = self.copy()
        view._output_ts = list(dict.fromkeys(self._output_ts))
        return view

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """The view with every output as often as it is taken."""
        view = self.copy()
        view._output_ts = [t for t in dict.fromkeys(self._output_ts) for _ in t.consumers()]
        return view

    def remove_unused_ops(self, control_inputs: bool = True) -> SubGraphView:
        """The view without the operations that are on no way from its inputs or to its outputs.

        Args:
            control_inputs: whether control edges are ways too.
        """
        view = self.copy()
        used = set(
            get_walks_union_ops(
                self.connected_inputs, self.connected_outputs, within_ops=self._ops, control_inputs=control_inputs
            )
        )
        view._ops = [op for op in self._ops if op in used]
        return view

    # ---- what is in it ----

    @property
    def graph(self) -> Graph | None:
        """The graph, None for an empty view."""
        return self._graph

    @property
    def ops(self) -> list[Operation]:
        """The operations."""
        return self._ops

    @property
    def inputs(self) -> ListView:
        """The tensors that go in, passthroughs among them."""
        return ListView(self._input_ts)

    @property
    def outputs(self) -> ListView:
        """The tensors that come out, passthroughs among them."""
        return ListView(self._output_ts)

    @property
    def passthroughs(self) -> ListView:
        """The tensors that go straight through."""
        return ListView(self._passthrough_ts)

    @property
    def connected_inputs(self) -> list[Tensor]:
        """The inputs that operations of the view take."""
        return [t for t in self._input_ts if t not in self._passthrough_ts]

    @property
    def connected_outputs(self) -> list[Tensor]:
        """The outputs that operations of the view make."""
        return [t for t in self._output_ts if t not in self._passthrough_ts]

    def op(self, op_id: int) -> Operation:
        """The operation at an index of `ops`."""
        return self._ops[op_id]

    def find_op_by_name(self, op_name: str) -> Operation:
        """The operation of a name.

        Raises:
            ValueError: if there is none in the view.
        """
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not in subgraph.")

    def is_passthrough(self, t: Tensor) -> bool:
        """Whether a tensor goes straight through."""
        return t in self._passthrough_ts

    def input_index(self, t: Tensor) -> int:
        """Which input a tensor is.

        Raises:
            ValueError: if it is none.
        """
        return self._index(self._input_ts, t, "inputs")

    def output_index(self, t: Tensor) -> int:
        """Which output a tensor is.

        Raises:
            ValueError: if it is none.
        """
        return self._index(self._output_ts, t, "outputs")

    def _index(self, tensors: list[Tensor], t: Tensor, which: str) -> int:
        if t not in tensors:
            raise ValueError(f"Can't find {t.name} in {which} of subgraph.")
        return tensors.index(t)

    def consumers(self) -> list[Operation]:
        """The operations outside the view that take one of its outputs."""
        inside, found = set(self._ops), list[Operation]()
        for tensor in self._output_ts:
            concatenate_unique(found, (op for op in tensor.consumers() if op not in inside))
        return found

    def __bool__(self) -> bool:
        return self._graph is not None

    __nonzero__ = __bool__

    def __enter__(self) -> SubGraphView:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __str__(self) -> str:
        if not self:
            return "SubGraphView: empty"
        marked: Callable[[Tensor], str] = lambda t: f"{t.name} *" if t in self._passthrough_ts else t.name  # noqa: E731
        lines = [f"SubGraphView (graphid={id(self._graph)}):"]
        for title, names in (
            ("ops", [op.name for op in self._ops]),
            ("inputs", [marked(t) for t in self._input_ts]),
            ("outputs", [marked(t) for t in self._output_ts]),
        ):
            if names:
                lines += [f"** {title}[{len(names)}]:", *(f"  {name}" for name in names)]
            else:
                lines.append(f"** {title}: empty")
        return "\n".join(lines) + "\n"


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """A view from operations, tensors, lists of them, and regular expressions.

    Args:
        *args: one view, which is returned as it is; or operations, passthrough tensors, lists of them and regular
            expressions, "(?#ts)" in front of those that choose tensors.
        graph: the graph that regular expressions search.
        positive_filter, restrict_ops_regex, restrict_ts_regex: as in `select_ops`.

    Raises:
        TypeError, ValueError: if the arguments have a wrong type or belong to another graph than `graph`.

    Example:
        >>> view = tf.contrib.graph_editor.make_view("^layer1/", graph=tf.get_default_graph())
    """
    graph = kwargs.get("graph")
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        view = args[0]
    else:
        view = SubGraphView(*select_ops_and_ts(*args, **kwargs))
    if graph is not None and view.graph is not None:
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        if view.graph is not graph:
            raise ValueError("Graph mismatch.")
    return view


def make_view_from_scope(scope: str, graph: Graph) -> SubGraphView:
    """A view of the operations under a name scope.

    Raises:
        TypeError: if `scope` is no string.
    """
    if not isinstance(scope, str):
        raise TypeError(f"scope should be a string, got a {type(scope)}")
    return SubGraphView(get_name_scope_ops(graph, scope))


sgv, sgv_scope = make_view, make_view_from_scope
