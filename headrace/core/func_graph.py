"""The body of a function: a graph whose inputs are its parameters and the outer tensors that are used inside."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, as_dtype
from headrace.core.errors import InaccessibleTensorError
from headrace.core.graph import Graph
from headrace.core.graph_scopes import VALID_OP_NAME, Controller
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import DTypeLike, TensorLike


# What a body shares with the graph around it: the variables and what finds them by name. Of other collections it has copies.
_SHARED_COLLECTIONS = (
    *("variables", "local_variables", "trainable_variables"),
    *(("__variable_store",), ("__varscope",), ("__variable_creators",)),
)


# Tensors with more elements than these are passed to a body and not written into it.
_MOST_ELEMENTS_WRITTEN_DOWN = 128


class FuncGraph(Graph):
    """A graph traced once from a Python function.

    Tensors of other graphs that are used inside become inputs: `captures` pairs each with the tensor that stands for
    it, and whoever calls the function passes them after the arguments.

    Args:
        name: the function's name.
        outer: the graph around it; the default graph by default.
        capture_by_value: whether outer operations are copied into the body instead.
        copied_stateful_ops: stateful outer operations that may be copied all the same.
        collections: its collections; by default the outer graph's, shared if they are of variables and copied if not.

    Attributes:
        inputs: the placeholders of the arguments, then those of the captured tensors.
        outputs: the tensors it returns.
        structured_outputs: what the Python function returned, as tensors of this graph.
        only_for_results: whether operations with effects run only where a result needs them.
        of_defun: whether it is the body of a `Defun`, which is built as any other graph.
        returns_none: whether the Python function returned None.
        saving_errors: why it cannot be written to a SavedModel.
    """

    only_for_results = False
    of_defun = False
    returns_none = False
    # Whether a table was made while it was traced.
    makes_resources = False
    # Of the body of a `tf.function`: whether its control flow was converted.
    autograph: bool
    # The names of the parameters that its arguments were given for.
    argument_names: Sequence[str] = ()

    def __init__(
        self,
        name: str,
        outer: Graph | None = None,
        capture_by_value: bool = False,
        copied_stateful_ops: Iterable[Operation] = (),
        collections: Mapping[Any, list[Any]] | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.building_function = True
        self.outer_graph = get_default_graph() if outer is None else outer
        self._outer_graph = self.outer_graph
        self.inputs: list[Tensor] = []
        self.outputs: list[Tensor] = []
        self.structured_outputs: Any = None
        self.saving_errors: set[str] = set()
        self.capture_by_value = capture_by_value
        self._copied_stateful_ops = set(copied_stateful_ops)
        self._captured: dict[Tensor, Tensor] = {}
        self._outer_of: dict[Tensor, Tensor] = {}
        self.extra_vars: list[Any] = []
        self.seed = self.outer_graph.seed
        self._container = self.outer_graph._container
        self.structured_input_signature: Any = None
        # The operations with effects, where something has found them.
        self.control_outputs: list[Operation] = []
        if collections is not None:
            self._collections = dict(collections)
            return
        for key in self.outer_graph.collections:
            if key not in _SHARED_COLLECTIONS:
                self._collections[key] = self.outer_graph.get_collection(key)
        for key in _SHARED_COLLECTIONS:
            self._collections[key] = self.outer_graph.get_collection_ref(key)

    @property
    def saveable(self) -> bool:
        """Whether it can be written to a SavedModel, as far as is known."""
        return not self.saving_errors

    def __repr__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"

    def mark_as_unsaveable(self, error_message: str | Iterable[str]) -> None:
        """Says why it cannot be written to a SavedModel, nor any function that calls it."""
        self.saving_errors.update([error_message] if isinstance(error_message, str) else error_message)

    @property
    def captures(self) -> list[tuple[Tensor, Tensor]]:
        """The outer tensors it needs, each with the input that stands for it."""
        return [(outer, inner) for inner, outer in self._outer_of.items()]

    @property
    def external_captures(self) -> list[Tensor]:
        """The outer tensors it needs."""
        return list(self._outer_of.values())

    extra_inputs = external_captures

    @property
    def extra_args(self) -> list[Tensor]:
        """The inputs that stand for outer tensors."""
        return list(self._outer_of)

    internal_captures = extra_args

    @property
    def variables(self) -> list[Any]:
        """The variables that it uses, each once."""
        found = {
            id(variable): variable for variable in map(_variable_of, self._outer_of.values()) if variable is not None
        }
        return list(found.values())

    @property
    def output_types(self) -> list[DType]:
        """The element types of `outputs`."""
        return [tensor.dtype for tensor in self.outputs]

    @property
    def output_shapes(self) -> list[TensorShape]:
        """The static shapes of `outputs`."""
        return [tensor.shape for tensor in self.outputs]

    def add_capture(self, tensor: Tensor, placeholder: Tensor) -> None:
        """Lets `placeholder`, a tensor of this graph, stand for `tensor` of another one; it becomes an input."""
        self._captured[tensor] = placeholder
        self._outer_of[placeholder] = tensor
        if not any(known is placeholder for known in self.inputs):
            self.inputs.append(placeholder)

    def pop_capture(self, tensor: Tensor) -> Tensor | None:
        """Forgets that `tensor` of another graph is used; returns what stood for it, None if nothing did."""
        inner = self._captured.pop(tensor, None)
        if inner is not None:
            self._outer_of.pop(inner, None)
        return inner

    def clear_captures(self) -> None:
        """Forgets all tensors of other graphs: calls pass none."""
        self._captured.clear()
        self._outer_of.clear()

    def reset_captures(self, capture_list: Iterable[tuple[Tensor, Tensor]]) -> None:
        """Replaces `captures`, pairs of an outer tensor and the input that stands for it."""
        pairs = list(capture_list)
        self.clear_captures()
        for outer, inner in pairs:
            self._captured[outer] = inner
            self._outer_of[inner] = outer

    def outer_of(self, tensor: Tensor) -> Tensor | None:
        """The outer tensor that an input stands for, None for an argument or an inner tensor."""
        return self._outer_of.get(tensor)

    def variable_behind(self, tensor: Tensor) -> Any:
        """The variable whose handle an input stands for, through functions around this one; None for other tensors."""
        outer = self._outer_of.get(tensor)
        if outer is None:
            return None
        graph = outer._op._graph
        return graph.variable_behind(outer) if isinstance(graph, FuncGraph) else _variable_of(outer)

    def inner_of(self, tensor: Tensor) -> Tensor | None:
        """The input that stands for an outer tensor, None if it is not used inside."""
        return self._captured.get(tensor)

    def add_input(self, dtype: DTypeLike, dims: Dims, name: str | None = None) -> Tensor:
        """A new parameter; it is called "placeholder" where `name`, as that of a Python parameter, is none for an operation."""
        if name is not None and not VALID_OP_NAME.match(name):
            name = "placeholder"
        with self.as_default(), self.control_dependencies(None):
            made: Tensor = raw.Placeholder(dtype=as_dtype(dtype).base_dtype, shape=dims, name=name)
        self.inputs.append(made)
        return made

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """What stands inside for a tensor of another graph.

        Raises:
            InaccessibleTensorError: if it is of a branch or loop of this one.
            ValueError: if it cannot be copied where that is asked for.
        """
        if tensor._op._graph is self:
            return tensor
        self._check_around(tensor)
        found = self._captured.get(tensor)
        if found is not None:
            return found
        if self.capture_by_value:
            self._copy(tensor.op)
            return self._captured[tensor]
        if _is_written_down(tensor) and not self.of_defun:
            return self._written_down(tensor, name)
        outer = tensor
        if tensor._dtype._is_ref_dtype:
            # A reference is read where it is: the body gets the value.
            with tensor.graph.as_default(), tensor.graph.control_dependencies(None):
                outer = raw.Identity(tensor)
        inner = self.add_input(outer.dtype, outer.dims, name)
        self._outer_of[inner] = outer
        if self.of_defun and _is_guaranteed(outer):
            # What never changes outside does not inside.
            with self.as_default(), self.control_dependencies(None):
                inner = raw.GuaranteeConst(inner)
        self._captured[tensor] = self._captured[outer] = inner
        return inner

    def _check_around(self, tensor: Tensor) -> None:
        """Raises InaccessibleTensorError for a tensor of a graph inside of this one."""
        graph = tensor._op._graph if tensor._is_graph_tensor else None
        inside = graph
        while isinstance(inside, FuncGraph):
            inside = inside.outer_graph
            if inside is self:
                raise InaccessibleTensorError(
                    f"The tensor '{tensor}' cannot be accessed here: it is defined in another function or code block. Use "
                    f"return values, explicit Python locals or TensorFlow collections to access it. Defined in: {graph}; "
                    f"accessed from: {self}.\n"
                )

    def _written_down(self, tensor: Any, name: str | None) -> Tensor:
        """What stands inside for a small tensor that has a value: an input too, whose static value is known."""
        with self.as_default(), self.control_dependencies(None):
            inner: Tensor = raw.Const(value=tensor._array().copy(), dtype=tensor._dtype, name=name or str(tensor._id))
        self.add_capture(tensor, inner)
        return inner

    def _captured_as(self, tensor: Tensor, name: str | None) -> Tensor:
        """What stands inside for an input of an operation that is about to be made.

        Args:
            tensor: the input.
            name: what is called so at the operation; a tensor of a graph keeps its own name below that of the operation.
        """
        if name is None or tensor._op._graph is self or tensor in self._captured:
            return self.capture(tensor)
        if tensor._is_graph_tensor:
            name = f"{name.rpartition('/')[0]}/{tensor._op._name}"
        with self.name_scope(None):
            return self.capture(tensor, name)

    def _copy(self, op: Operation) -> None:
        # What TensorFlow calls stateful: reading a file, which planning must leave alone too, is not.
        if op.decl.signature.stateful and op not in self._copied_stateful_ops:
            raise ValueError(f"Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value.")
        if op.type in ("Placeholder", "PlaceholderV2"):
            raise ValueError(f"Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value.")
        inputs = []
        for tensor in op.inputs:
            if tensor not in self._captured:
                self._copy(tensor.op)
            inputs.append(self._captured[tensor])
        with self.as_default(), self.control_dependencies(None):
            made = self.create_op(op.type, inputs, name=op.name, attrs=dict(op.attrs))
        self._captured.update(zip(op.outputs, made.outputs, strict=True))

    # ---- what differs from other graphs ----

    def add_operation(
        self,
        decl: OpDecl,
        inputs: list[Tensor],
        attrs: dict[str, Any],
        name: str,
        output_types: Sequence[Any],
        control_inputs: Sequence[Operation] = (),
    ) -> Operation:
        if any(tensor._op._graph is not self for tensor in inputs):
            args = decl.signature.inputs
            for tensor in inputs:
                if tensor._dtype._is_ref_dtype and tensor._op._graph is not self and any(a.is_ref for a in args):
                    raise TypeError(
                        f"{decl.type} ('{name}') changes the reference variable {tensor.op.name} from inside a function: "
                        "make it a resource variable (use_resource=True)."
                    )
            names = [None] * len(inputs) if self.of_defun else _names_of_inputs(decl, attrs, name)
            inputs = [self._captured_as(tensor, at) for tensor, at in zip(inputs, names, strict=True)]
        op = super().add_operation(decl, inputs, attrs, name, output_types, control_inputs)
        # A body runs as it was written: no read of a variable is moved before a write that precedes it.
        op._in_program_order = True
        return op

    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Controller:
        if control_inputs is None:
            return super().control_dependencies(None)
        inner = []
        for item in control_inputs:
            if isinstance(item, (str, bytes, int, float)):
                # What is no element of a graph there was before the call; names are not looked up.
                continue
            if self._is_outside(item):
                if self.of_defun:
                    raise ValueError(f"Tensor {item} is not an element of this graph.")
                # The call as a whole waits for what is outside.
                continue
            inner.append(item._as_control_input() if hasattr(item, "_as_control_input") else item)
        return super().control_dependencies(inner)

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Any:
        handle = getattr(op, "handle", None)
        distributed = getattr(op, "_distribute_strategy", None) is not None
        if isinstance(handle, Tensor) and not (handle._is_graph_tensor or distributed):
            # A variable made eagerly has no operation to go by: what stands for it is that the body reads it. The read is
            # not run for that, but it counts among the operations that the seeds of random ones follow from.
            op = op.read_value().op.inputs[0]
        elif self._is_outside(op):
            return self.device("")
        return super().colocate_with(op, ignore_existing)

    def _is_outside(self, item: Any) -> bool:
        """Whether an operation, a tensor or a variable is of another graph."""
        # What an assignment returned is where the assignment is.
        item = getattr(item, "_parent_op", item)
        handle = getattr(item, "handle", None)
        if isinstance(handle, Tensor):
            # A variable made eagerly has no operation.
            return handle._op._graph is not self
        if hasattr(item, "_as_control_input"):
            item = item._as_control_input()
        if isinstance(item, Tensor):
            return item._op._graph is not self
        return isinstance(item, Operation) and item.graph is not self


def _is_written_down(tensor: Any) -> bool:
    """Whether a tensor from outside has a value that bodies hold a copy of, so that shapes made of it are static."""
    return (
        not tensor._is_graph_tensor
        and tensor._dtype.name not in ("resource", "variant")
        and math.prod(tensor.dims) <= _MOST_ELEMENTS_WRITTEN_DOWN
    )


def _names_of_inputs(decl: OpDecl, attrs: dict[str, Any], name: str) -> list[str]:
    """What the inputs of an operation are called below its name."""
    names = []
    for arg in decl.signature.inputs:
        if arg.number_attr is None and arg.type_list_attr is None:
            names.append(f"{name}/{arg.name}")
            continue
        count = attrs[arg.number_attr] if arg.number_attr is not None else len(attrs[arg.type_list_attr or ""])
        names += [f"{name}/{arg.name}_{i}" for i in range(count)]
    return names


def _is_guaranteed(tensor: Tensor) -> bool:
    """Whether a tensor is said to be constant by a GuaranteeConst, or is computed from such tensors alone."""
    seen: set[Operation] = set()
    pending = [tensor._op]
    while pending:
        op = pending.pop()
        if op in seen or op.type == "GuaranteeConst":
            continue
        if not op._inputs:
            return False
        seen.add(op)
        pending.extend(source._op for source in op._inputs)
    return True


def _variable_of(handle: Tensor) -> Any:
    """The variable that a captured handle leads to, None if there is none."""
    found = getattr(handle, "_variable", None)
    return None if found is None else found()


def trace(
    graph: FuncGraph,
    function: Callable[..., Any],
    inputs: Sequence[tuple[Any, Any, str | None]],
    arguments: Callable[[list[Tensor]], tuple[Any, ...]] | None = None,
) -> FuncGraph:
    """Calls `function` once inside `graph` and keeps what it returns.

    Args:
        graph: an empty function graph.
        function: takes the tensors of the parameters.
        inputs: type, shape and name of each parameter.
        arguments: from the tensors to the arguments of `function`; one a tensor by default.

    Returns:
        `graph`, with `inputs`, `outputs` and `structured_outputs`.
    """
    with graph.as_default():
        tensors = [graph.add_input(dtype, as_dims(shape), name) for dtype, shape, name in inputs]
        result = function(*(tensors if arguments is None else arguments(tensors)))
        finish(graph, result)
    return graph


def finish(graph: FuncGraph, result: TensorLike) -> None:
    """Makes `result`, a structure of what can be a tensor, the outputs of `graph`."""
    if result is None:
        result = ()

    def as_output(value: Tensor) -> Tensor:
        return graph.capture(convert_to_tensor(value))

    graph.structured_outputs = nest.map_structure(as_output, result, expand_composites=True)
    graph.outputs = nest.flatten(graph.structured_outputs, expand_composites=True)


def output_dtypes(graph: FuncGraph) -> list[DType]:
    """The element types of what the function returns."""
    return [tensor.dtype.base_dtype for tensor in graph.outputs]


def note_resource() -> None:
    """Tells the functions that are being traced that a table is made."""
    graph = get_default_graph()
    while isinstance(graph, FuncGraph):
        graph.makes_resources = True
        graph = graph.outer_graph
