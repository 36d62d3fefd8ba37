"""Datasets of eager programs made again in graphs, as models that keep them are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracked_resources import CapturableResource
from headrace.core.apply import operation_from_parts
from headrace.core.defaults import get_default_graph
from headrace.core.errors import FailedPreconditionError
from headrace.core.origins import Origin, add_called, called_by
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.graph_functions import Function
    from headrace.core.tensor import Tensor
    from headrace.data.dataset_base import DatasetBase

# What 1.15 lets the functions of a dataset do though it counts as state: it happens to nothing but the step.
_HARMLESS = frozenset(["Assert"])


class VariantTracker(CapturableResource):
    """What stands for a dataset, to objects that are written: a resource that is made anew where they are loaded.

    Args:
        dataset: the dataset.
    """

    def __init__(self, dataset: DatasetBase) -> None:
        super().__init__("CPU")
        self._dataset = dataset

    @property
    def resource_handle(self) -> Any:
        """The tensor that stands for the dataset."""
        return self._dataset._variant_tensor

    def _create_resource(self) -> Tensor:
        return remade(self._dataset._variant_tensor, get_default_graph())


def remade(variant: Any, graph: Graph) -> Tensor:
    """What stands for an eager program's dataset in a graph.

    Args:
        variant: what stands for it in the program.
        graph: the default graph.

    Raises:
        NotImplementedError: if it is of another graph, or nothing is known of what made it.
        FailedPreconditionError: if a function of it has state, or an input is a resource.
    """
    if variant._is_graph_tensor:
        raise NotImplementedError(
            f"Can only export Datasets which were created executing eagerly: {variant.name} is of a graph. Keep it out of the "
            "object that is saved."
        )
    return _Remaking(graph).tensor(variant)


class _Remaking:
    """One graph in which datasets are made again; what two of them are made of is made once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._made: dict[int, Tensor] = {}

    def tensor(self, given: Any) -> Tensor:
        """What an eager tensor is in the graph."""
        if id(given) not in self._made:
            self._made[id(given)] = self._new(given)
        return self._made[id(given)]

    def _new(self, given: Any) -> Tensor:
        kind = given.dtype.name
        if kind == "resource":
            raise FailedPreconditionError(None, None, "A dataset that uses a variable or a table is stateful.")
        if kind != "variant":
            return constant(given.numpy(), given.dtype)
        origin: Origin | None = given._op.origin
        if origin is None:
            raise NotImplementedError(
                "A dataset that a function returned, or another variant of one, cannot be exported: make it outside of it."
            )
        _refuse_state(origin.functions)
        for function in origin.functions:
            function.add_to_graph(self._graph)
            add_called(function, self._graph)
        inputs = [self.tensor(each) for each in origin.inputs]
        op = operation_from_parts(self._graph, origin.decl.type, inputs, origin.attrs, None, decl=origin.decl)
        return op.outputs[0]


def _refuse_state(functions: Iterable[Function]) -> None:
    """Refuses functions with operations of a state that a model would not have where it is loaded."""
    pending, seen = list(functions), set()
    while pending:
        function = pending.pop()
        if function.name in seen:
            continue
        seen.add(function.name)
        for op in function.operations:
            called = list(called_by(op, op.graph))
            pending += called
            decl = op.decl
            if decl.signature.stateful and not (called or decl.is_remembered or decl.type in _HARMLESS):
                raise FailedPreconditionError(None, None, f"{op.type} is stateful. [Op:DatasetToGraph]")
