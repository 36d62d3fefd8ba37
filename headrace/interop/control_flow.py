"""Branches and loops as messages of a MetaGraphDef, and back, so that imported ones can be differentiated."""

from __future__ import annotations

from typing import Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph
from headrace.core.framework_ops import prepend_name_scope, register_proto_function, strip_name_scope
from headrace.core.graph import Graph
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import CondContext
from headrace.functions.flow.context import ControlFlowContext
from headrace.functions.flow.while_context import WhileContext
from headrace.messages import protos


def _name(tensor: Tensor | None, export_scope: str | None) -> str:
    return "" if tensor is None else strip_name_scope(tensor.name, export_scope)


def _values_def(context: ControlFlowContext, export_scope: str | None) -> Any:
    # A loop's Exits are among its values in messages.
    values = context._values.union(context.loop_exits if isinstance(context, WhileContext) else ())
    made = protos.ValuesDef(values=sorted(_name(value, export_scope) for value in values))
    for outer, inner in context._external_values.items():
        made.external_values[_name(outer, export_scope)] = _name(inner, export_scope)
    return made


def _add_nested(message: Any, context: ControlFlowContext, export_scope: str | None) -> None:
    for inner in context._nested_contexts:
        wrapped = message.nested_contexts.add()
        if isinstance(inner, WhileContext):
            wrapped.while_ctxt.CopyFrom(_while_def(inner, export_scope))
        elif isinstance(inner, CondContext):
            wrapped.cond_ctxt.CopyFrom(_cond_def(inner, export_scope))


def _cond_def(context: CondContext, export_scope: str | None) -> Any:
    made = protos.CondContextDef(
        context_name=strip_name_scope(context.name, export_scope),
        pred_name=_name(context.pred, export_scope),
        pivot_name=_name(context.pivot, export_scope),
        branch=context.branch,
        values_def=_values_def(context, export_scope),
    )
    _add_nested(made, context, export_scope)
    return made


def _while_def(context: WhileContext, export_scope: str | None) -> Any:
    made = protos.WhileContextDef(
        context_name=strip_name_scope(context.name, export_scope),
        parallel_iterations=context.parallel_iterations,
        back_prop=context.back_prop,
        swap_memory=context.swap_memory,
        pivot_name=_name(context.pivot, export_scope),
        pivot_for_pred_name=_name(context._pivot_for_pred, export_scope),
        pivot_for_body_name=_name(context._pivot_for_body, export_scope),
        maximum_iterations_name=_name(context.maximum_iterations, export_scope),
        loop_exit_names=[_name(tensor, export_scope) for tensor in context.loop_exits],
        loop_enter_names=[_name(tensor, export_scope) for tensor in context.loop_enters],
        values_def=_values_def(context, export_scope),
    )
    _add_nested(made, context, export_scope)
    return made


def cond_to_proto(context: CondContext, export_scope: str | None = None) -> Any:
    """A branch as a `CondContextDef`; None if it is not below `export_scope`."""
    if export_scope is not None and not context.pivot.name.startswith(export_scope):
        return None
    return _cond_def(context, export_scope)


def while_to_proto(context: WhileContext, export_scope: str | None = None) -> Any:
    """A loop as a `WhileContextDef`; None if it is not below `export_scope`."""
    if export_scope is not None and not context.name.startswith(export_scope):
        return None
    return _while_def(context, export_scope)


def context_to_proto(context: CondContext | WhileContext, export_scope: str | None = None) -> Any:
    """A branch as a `CondContextDef`, a loop as a `WhileContextDef`; None if it is not below `export_scope`."""
    if isinstance(context, WhileContext):
        return while_to_proto(context, export_scope)
    return cond_to_proto(context, export_scope)


class _Reader:
    """Finds the tensors of a message in a graph."""

    def __init__(self, graph: Graph, import_scope: str | None) -> None:
        self.graph, self.scope = graph, import_scope

    def tensor(self, name: str) -> Tensor:
        found = self.graph.as_graph_element(prepend_name_scope(name, self.scope))
        return found if isinstance(found, Tensor) else found.outputs[0]

    def fill(self, context: ControlFlowContext, message: Any) -> None:
        """Makes the values, and the operations that make them, those of the context; then what lies inside."""
        values = message.values_def
        context._values = {self.tensor(name) for name in values.values}
        outer = {self.tensor(name): self.tensor(inner) for name, inner in values.external_values.items()}
        context._external_values = outer
        for tensor in context._values - set(outer):
            tensor.op._set_control_flow_context(context)
        for inner in message.nested_contexts:
            with context:
                if inner.WhichOneof("ctxt") == "while_ctxt":
                    self.loop(inner.while_ctxt)
                else:
                    self.branch(inner.cond_ctxt)

    def branch(self, message: Any) -> CondContext:
        name = prepend_name_scope(message.context_name, self.scope)
        context = CondContext(self.tensor(message.pred_name), self.tensor(message.pivot_name), message.branch, name)
        self.fill(context, message)
        return context

    def loop(self, message: Any) -> WhileContext:
        context = WhileContext.__new__(WhileContext)
        ControlFlowContext.__init__(context, self.graph)
        enters = [self.tensor(name) for name in message.loop_enter_names]
        # The loop goes by the name of its frame, which an import scope leaves as it is.
        context._name = enters[0].op.attrs["frame_name"] if enters else message.context_name
        named = message.maximum_iterations_name
        context._maximum_iterations = self.tensor(named) if named else None
        context._parallel_iterations = message.parallel_iterations
        context._back_prop = message.back_prop
        context._swap_memory = message.swap_memory
        context._grad_state = None
        context._pivot = self.tensor(message.pivot_name)
        context._pivot_for_pred = self.tensor(message.pivot_for_pred_name)
        context._pivot_for_body = self.tensor(message.pivot_for_body_name)
        context._loop_enters = enters
        context._loop_exits = [self.tensor(name) for name in message.loop_exit_names]
        self.fill(context, message)
        for tensor in context._loop_exits:
            context._values.discard(tensor)
            tensor.op._set_control_flow_context(context)
        return context


def cond_from_proto(message: Any, import_scope: str | None = None) -> CondContext:
    """The branch of a `CondContextDef` whose operations are in the default graph."""
    return _Reader(get_default_graph(), import_scope).branch(message)


def while_from_proto(message: Any, import_scope: str | None = None) -> WhileContext:
    """The loop of a `WhileContextDef` whose operations are in the default graph."""
    return _Reader(get_default_graph(), import_scope).loop(message)


def from_control_flow_context_def(context_def: Any, import_scope: str | None = None) -> CondContext | WhileContext:
    """The branch or loop of a `ControlFlowContextDef` whose operations are in the default graph.

    Raises:
        NotImplementedError: if the message holds neither.
    """
    kind = context_def.WhichOneof("ctxt")
    if kind == "cond_ctxt":
        return cond_from_proto(context_def.cond_ctxt, import_scope)
    if kind == "while_ctxt":
        return while_from_proto(context_def.while_ctxt, import_scope)
    raise NotImplementedError(f"Unknown ControlFlowContextDef field: {kind}")


register_proto_function(
    GraphKeys.COND_CONTEXT, proto_type=protos.CondContextDef, to_proto=cond_to_proto, from_proto=cond_from_proto
)
register_proto_function(
    GraphKeys.WHILE_CONTEXT, proto_type=protos.WhileContextDef, to_proto=while_to_proto, from_proto=while_from_proto
)
