"""Copying subgraphs, with a say in what becomes of each operation and tensor on the way."""

from __future__ import annotations

import copy as copying
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.graph_editor.reroute import add_control_inputs
from headrace.contrib.graph_editor.select import get_walks_intersection_ops
from headrace.contrib.graph_editor.subgraph import SubGraphView, make_view
from headrace.contrib.graph_editor.util import (
    ControlOutputs,
    flatten_tree,
    get_predefined_collection_names,
    get_unique_graph,
    make_placeholder_from_tensor,
    scope_finalize,
    transform_tree,
)
from headrace.core.apply import operation_from_parts
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.messages.node_def import attr_from_proto

if TYPE_CHECKING:
    from headrace.core.typing import Nested, TensorLike


class _Progress:
    """What is known while a subgraph is transformed; handlers get it as their first argument.

    Attributes:
        sgv: the subgraph, with `ops` and `sgv_inputs_set` for quick tests.
        graph, scope: where it comes from.
        graph_, scope_: where it goes.
        transformed_ops, transformed_ts: what has become of operations and tensors so far.
        collections: the collections of the source, by name.
        control_outputs: the `ControlOutputs` of the source.
        tmp_cyclic_ts: inputs that could not be given yet: (tensor, its stand-in, operation that takes it).
    """

    def __init__(self, sgv: SubGraphView, dst_graph: Graph, dst_scope: str, src_scope: str) -> None:
        graph = sgv.graph
        if graph is None:
            raise ValueError("The subgraph is empty.")
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.ops = frozenset(sgv.ops)
        self.control_outputs = ControlOutputs(graph)
        self.graph, self.scope = graph, src_scope
        self.graph_, self.scope_ = dst_graph, dst_scope
        self.transformed_ops: dict[Operation, Operation] = {}
        self.transformed_ts: dict[Tensor, Tensor] = {}
        self.collections = {key: graph.get_collection(key) for key in graph.get_all_collection_keys()}
        self.cyclic_ops: list[Operation] = []
        self.transform_original_op_handler: Callable[..., Any] = transform_op_if_inside_handler
        self.tmp_cyclic_ts: list[tuple[Tensor, Tensor, Operation]] = []

    def new_name(self, name: str) -> str:
        """A name of the source scope, moved to the destination's.

        Raises:
            ValueError: if it is not of the source scope.
        """
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]


def replace_t_with_placeholder_handler(info: _Progress, t: Tensor) -> Tensor:
    """A new placeholder in place of a tensor."""
    with info.graph_.as_default():
        return make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: _Progress, t: Tensor) -> Tensor:
    """The tensor itself within one graph, a placeholder in another."""
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(
    info: _Progress, elem: TensorLike | Operation, elem_: TensorLike | Operation
) -> None:
    """Adds what an element has become to the collections of the original; a program's own get the new scope's name."""
    for name, members in info.collections.items():
        if elem in members:
            known = name in get_predefined_collection_names()
            info.graph_.add_to_collection(name if known else info.new_name(name), elem_)


def transform_op_if_inside_handler(info: _Progress, op: Operation, keep_if_possible: bool = True) -> Operation | None:
    """What an operation of the subgraph has become.

    Args:
        info: the transformation.
        op: the operation.
        keep_if_possible: whether one outside the subgraph stands for itself within one graph.

    Returns:
        an operation, or None.
    """
    if op in info.sgv.ops:
        transformed: Operation = info.transformed_ops[op]
        return transformed
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(
    info: _Progress,
    op: Operation,
    new_inputs: Sequence[Tensor],
    copy_shape: bool = False,
    nodedef_fn: Callable[[Any], Any] | None = None,
) -> tuple[Operation, list[Tensor]]:
    """A copy of an operation.

    Args:
        info: the transformation.
        op: the operation.
        new_inputs: the tensors the copy takes.
        copy_shape: whether the copy's outputs also have the static shapes of the original's.
        nodedef_fn: takes the copy's `NodeDef` and returns the one to use.

    Returns:
        (the copy, its outputs).

    Raises:
        TypeError: if `new_inputs` is no iterable.
    """
    if isinstance(new_inputs, bool):
        raise TypeError("the `new_inputs` argument must be an iterable.")
    graph: Graph = info.graph_
    name, op_type, device = graph.unique_name(info.new_name(op.name)), op.type, op.device
    attrs = {key: copying.copy(value) for key, value in op.attrs.items()}
    if nodedef_fn is not None:
        node = copying.deepcopy(op.node_def)
        node.name = name
        node = nodedef_fn(node)
        name, op_type, device = node.name, node.op, node.device
        attrs = {key: attr_from_proto(value) for key, value in node.attr.items()}
    # Nothing of the scopes that are open around the call goes into a copy.
    with (
        graph.as_default(),
        graph.control_dependencies(None),
        graph.device(None),
        graph.colocate_with(None, ignore_existing=True),
    ):
        copied = operation_from_parts(
            graph, op_type, list(new_inputs), attrs, f"{name}/", decl=op.decl if op_type == op.type else None
        )
    copied._device = device
    copied._original_op = op._original_op
    if copy_shape:
        for source, made in zip(op.outputs, copied.outputs, strict=True):
            made.set_shape(source.shape)
    return copied, copied.outputs


class TransformerInfo:
    """What became of what in a transformation.

    Args:
        info: the transformation.
    """

    def __init__(self, info: Any) -> None:
        self._graph, self._scope = info.graph, info.scope
        self._graph_, self._scope_ = info.graph_, info.scope_
        self._transformed_ops: dict[Operation, Operation] = info.transformed_ops
        self._transformed_ts: dict[Tensor, Tensor] = info.transformed_ts

    def _of_kind(self, element: Operation | Tensor) -> Mapping[Any, Any]:
        if isinstance(element, Operation):
            return self._transformed_ops
        if isinstance(element, Tensor):
            return self._transformed_ts
        raise TypeError(f"Expected a tf.Tensor or a tf.Operation, got a {type(element)}")

    def transformed(self, original: object, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """What became of operations and tensors.

        Args:
            original: an operation, a tensor, or lists, tuples and dicts of them.
            missing_fn: gives the answer for those that were not transformed, which is None without it.
        """

        def find(element: Operation | Tensor) -> str | Operation | Tensor | None:
            known = self._of_kind(element)
            if element in known:
                return known[element]
            return None if missing_fn is None else missing_fn(element)

        return transform_tree(original, find)

    def original(self, transformed: TensorLike | Operation, missing_fn: Callable[[Any], Any] | None = None) -> Any:
        """What operations and tensors came from; the arguments are as those of `transformed`."""

        def find(element: Operation | Tensor) -> Any:
            for source, made in self._of_kind(element).items():
                if made is element:
                    return source
            return None if missing_fn is None else missing_fn(element)

        return transform_tree(transformed, find)

    def __str__(self) -> str:
        lines = ["Transform result info:"]
        if self._graph is self._graph_:
            lines.append(f"  Within graph[{id(self._graph)}]{'' if self._scope_ else ' IN-PLACE'}")
        else:
            lines.append(f"  graph[{id(self._graph)}] => graph[{id(self._graph_)}]")
        if self._scope:
            lines.append(f"  Relative to source scope: {self._scope}")
        if self._scope_:
            lines.append(f"  Scope destination: {self._scope_}")
        lines.append("Operations mapping:")
        lines += [f"  {op.name} => {made.name}" for op, made in self._transformed_ops.items()]
        return "\n".join(lines) + "\n"


class Transformer:
    """Copies a subgraph; assign its handlers to have something else done instead.

    Attributes:
        transform_op_handler: (info, operation, new inputs) -> (operation, its outputs).
        transform_external_input_handler: (info, tensor) -> what stands for an input of the subgraph.
        transform_external_hidden_input_handler: the same for a tensor from outside that is not among the inputs.
        transform_control_input_handler: (info, operation) -> what the copy waits for, or None.
        transform_original_op_handler: (info, operation) -> the original operation of the copy, or None.
        assign_collections_handler: (info, element, what became of it), puts it into collections.

    Example:
        >>> transformer = tf.contrib.graph_editor.Transformer()
        >>> transformer.transform_external_input_handler = tf.contrib.graph_editor.keep_t_if_possible_handler
        >>> view, info = transformer(tf.contrib.graph_editor.sgv(logits.op), sess.graph, "copy")
        >>> info.transformed(logits).name
        'copy/logits:0'
    """

    def __init__(self) -> None:
        self.transform_op_handler: Callable[..., Any] = copy_op_handler
        self.transform_control_input_handler: Callable[..., Any] = transform_op_if_inside_handler
        self.assign_collections_handler: Callable[..., Any] = assign_renamed_collections_handler
        self.transform_external_input_handler: Callable[..., Any] = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler: Callable[..., Any] = keep_t_if_possible_handler
        self.transform_original_op_handler: Callable[..., Any] = transform_op_if_inside_handler

    def __call__(
        self, sgv: Any, dst_graph: Graph, dst_scope: str, src_scope: str = "", reuse_dst_scope: bool = False
    ) -> tuple[SubGraphView, TransformerInfo]:
        """Transforms a subgraph.

        Args:
            sgv: the subgraph, or what `make_view` makes one of.
            dst_graph: the graph to put it into.
            dst_scope: the scope to put it under; a new one unless `reuse_dst_scope`.
            src_scope: the scope that names are relative to.
            reuse_dst_scope: whether the scope may be one in use.

        Returns:
            (a view of what was made, a `TransformerInfo`).

        Raises:
            TypeError: if `dst_graph` is no graph; ValueError: if a handler returns the operation it got.
        """
        view = make_view(sgv)
        _check_graph(dst_graph)
        src_scope, dst_scope = scope_finalize(src_scope), scope_finalize(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = scope_finalize(dst_graph.unique_name(dst_scope[:-1]))
        info = _Progress(view, dst_graph, dst_scope, src_scope)
        self._copy_ops(info)
        self._close_cycles(info)
        self._connect_controls(info)
        return self._view_of(info), TransformerInfo(info)

    def _copy_ops(self, info: _Progress) -> None:
        for op in sorted(info.sgv.ops, key=lambda op: op._id):
            new_inputs = [self._input(info, tensor, op) for tensor in op.inputs]
            made, outputs = self.transform_op_handler(info, op, new_inputs)
            if made is op:
                raise ValueError("In-place transformation not allowed.")
            info.transformed_ops[op] = made
            self.assign_collections_handler(info, op, made)
            for tensor, new in zip(op.outputs, outputs, strict=False):
                info.transformed_ts[tensor] = new
                self.assign_collections_handler(info, tensor, new)

    def _input(self, info: _Progress, tensor: Tensor, consumer: Operation) -> Tensor:
        if tensor in info.transformed_ts:
            return info.transformed_ts[tensor]
        if tensor in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, tensor)
        if tensor.op not in info.ops:
            return self.transform_external_hidden_input_handler(info, tensor)
        # A loop: the tensor will only be made later, so something of its type stands in for it.
        copied: Tensor
        if consumer.type == "Merge":
            copied = self._input(info, consumer.inputs[0], consumer)
        elif tensor.op.type == "Enter":
            copied = self._input(info, tensor.op.inputs[0], consumer)
        else:
            with info.graph_.as_default():
                copied = make_placeholder_from_tensor(tensor, scope=info.scope_, prefix="geph_tmp")
        info.tmp_cyclic_ts.append((tensor, copied, consumer))
        return copied

    def _close_cycles(self, info: _Progress) -> None:
        for tensor, _, consumer in info.tmp_cyclic_ts:
            made = info.transformed_ops[consumer]
            for index, source in enumerate(consumer.inputs):
                if source is tensor:
                    made._update_input(index, info.transformed_ts[tensor])

    def _connect_controls(self, info: _Progress) -> None:
        for op in info.sgv.ops:
            made = info.transformed_ops[op]
            if op._original_op is not None:
                original = self.transform_original_op_handler(info, op._original_op)
                if original is not None:
                    made._original_op = original
            controls = [self.transform_control_input_handler(info, control) for control in op.control_inputs]
            add_control_inputs(made, [control for control in controls if control is not None])

    def _view_of(self, info: _Progress) -> SubGraphView:
        """A view of what was made, with inputs and outputs in the order of the original's."""
        view = SubGraphView(list(info.transformed_ops.values()))
        inputs = [info.transformed_ts.get(tensor) for tensor in info.sgv.inputs]
        outputs = [info.transformed_ts.get(tensor) for tensor in info.sgv.outputs]
        return view.remap(
            [tensor for tensor in inputs if tensor in list(view.inputs)],
            [tensor for tensor in outputs if tensor in list(view.outputs)],
        )


def _check_graph(graph: str | Graph) -> None:
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")


def _destination(view: SubGraphView, dst_graph: Graph | None) -> Graph:
    graph = view.graph if dst_graph is None else dst_graph
    if graph is None:
        raise ValueError("The subgraph is empty.")
    return graph


def copy(
    sgv: SubGraphView,
    dst_graph: Graph | None = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, TransformerInfo]:
    """Copies a subgraph, with placeholders for its inputs.

    Args:
        sgv: the subgraph, or what `make_view` makes one of.
        dst_graph: where to; the same graph by default.
        dst_scope, src_scope, reuse_dst_scope: as in `Transformer.__call__`.

    Returns:
        (a view of the copy, a `TransformerInfo`).

    Raises:
        TypeError: if `dst_graph` is no graph.
    """
    view = make_view(sgv)
    return Transformer()(view, _destination(view, dst_graph), dst_scope, src_scope, reuse_dst_scope)


def copy_with_input_replacements(
    sgv: SubGraphView | Sequence[Operation],
    replacement_ts: Mapping[Tensor, Tensor],
    dst_graph: Graph | None = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple[SubGraphView, TransformerInfo]:
    """Copies a subgraph that takes other tensors.

    Args:
        sgv: the subgraph, or what `make_view` makes one of.
        replacement_ts: inputs of the subgraph to the tensors that the copy takes instead. Other inputs stay as
            they are, or become placeholders in another graph.
        dst_graph: where to; the same graph by default.
        dst_scope, src_scope, reuse_dst_scope: as in `Transformer.__call__`.

    Returns:
        (a view of the copy, a `TransformerInfo`).

    Raises:
        TypeError: if `dst_graph` is no graph.
    """
    view = make_view(sgv)
    transformer = Transformer()

    def replace(info: _Progress, tensor: Tensor) -> Tensor:
        return replacement_ts[tensor] if tensor in replacement_ts else keep_t_if_possible_handler(info, tensor)

    transformer.transform_external_input_handler = replace
    return transformer(view, _destination(view, dst_graph), dst_scope, src_scope, reuse_dst_scope)


def _add_loops(ops: list[Operation], control_ios: ControlOutputs) -> None:
    """Adds the whole of each loop of which something is among the operations."""
    contexts = dict.fromkeys(op._control_flow_context for op in ops if op._control_flow_context is not None)
    for context in contexts:
        if not context.IsWhileContext():
            continue
        enters = [tensor.op for tensor in context.loop_enters]
        exits = [tensor.op for tensor in context.loop_exits]
        have = set(ops)
        ops += [op for op in get_walks_intersection_ops(enters, exits, control_ios=control_ios) if op not in have]


def graph_replace(
    target_ts: Nested[Tensor],
    replacement_ts: Mapping[Tensor, Tensor],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """What tensors would be if others were something else: copies what lies between them.

    Args:
        target_ts: the tensors, a tensor or lists, tuples and dicts of them.
        replacement_ts: tensors they depend on to those to take instead.
        dst_scope, src_scope, reuse_dst_scope: as in `Transformer.__call__`.

    Returns:
        the new tensors in the structure of `target_ts`; those that depend on nothing replaced are themselves.

    Raises:
        ValueError: if nothing lies between the targets and the replacements.

    Example:
        >>> x, noisy = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        >>> y = tf.square(x) + 1.0
        >>> y_noisy = tf.contrib.graph_editor.graph_replace(y, {x: noisy})
    """
    targets = flatten_tree(target_ts)
    graph = get_unique_graph(targets, check_types=Tensor)
    assert graph is not None  # there are targets
    control_ios = ControlOutputs(graph)
    ops = get_walks_intersection_ops(list(replacement_ts), targets, control_ios=control_ios)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    _add_loops(ops, control_ios)
    _, info = copy_with_input_replacements(ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope)
    return info.transformed(target_ts, lambda tensor: tensor)
