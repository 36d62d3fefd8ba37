"""Bodies of functions, traced from Python functions on their own, and moved between graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headrace.autograph.conversion import converted_for_function
from headrace.core import nest
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.composite_types import CompositeTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.identity import ObjectIdentityDictionary
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec, TypeSpec, spec_from_value
from headrace.functions.flow.tensor_array import TensorArray
from headrace.state.automatic_dependencies import op_is_stateful
from headrace.state.lifted_initial_values import UnliftableError
from headrace.state.variable_class import Variable

_MUTATED = (
    "Function to be traced should not modify structure of input arguments. Check if your function has list and dictionary "
    "operations that alter input arguments, such as `list.pop`, `list.append`"
)


class UnknownArgument:
    """Stands in a signature for an argument that no spec describes."""


def check_mutation(n1: Any, n2: Any) -> None:
    """Checks that a structure of arguments is what it was.

    Raises:
        ValueError: if two structures differ, or an element of one is not that of the other.
    """
    try:
        nest.assert_same_structure(n1, n2, expand_composites=True)
    except ValueError:
        raise ValueError(_MUTATED) from None
    pairs = zip(nest.flatten(n1, expand_composites=True), nest.flatten(n2, expand_composites=True), strict=True)
    if any(a is not b for a, b in pairs):
        raise ValueError(_MUTATED)


def convert_structure_to_signature(structure: Any, arg_names: Sequence[str] | None = None) -> Any:
    """A structure of specs for a structure of arguments.

    Args:
        structure: tensors, composite tensors, variables, specs and other values.
        arg_names: the names of the elements at the top; their places by default.

    Returns:
        the same structure: specs with names, Python's plain values as they are, `UnknownArgument` for all others.
    """

    def spec_of(path: Sequence[Any], value: Any) -> Any:
        name = "/".join(str(p) for p in path)
        if isinstance(value, (TensorSpec, Tensor)):
            return TensorSpec(value.shape, value.dtype, getattr(value, "name", None) if _user_named(value) else name)
        if isinstance(value, (CompositeTensor, SparseTensor, IndexedSlices)):
            return spec_from_value(value)
        if isinstance(value, (int, float, bool, type(None), TypeSpec, DType)):
            return value
        return UnknownArgument()

    def walk(path: tuple[Any, ...], value: Any) -> Any:
        if not nest.is_sequence(value):
            return spec_of(path, value)
        if isinstance(value, Mapping):
            keys: list[Any] = sorted(value)
            made: Any = dict(zip(keys, [walk((*path, key), value[key]) for key in keys], strict=True))
            return made
        names = arg_names if arg_names is not None and not path else None
        parts = [walk((*path, names[i] if names is not None else i), item) for i, item in enumerate(value)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)

    return walk((), structure)


def _user_named(value: Any) -> bool:
    return isinstance(value, TensorSpec) and value.name is not None


def flatten(sequence: Any) -> list[Any]:
    """The parts of a structure: composite tensors by their tensors, a `TensorArray` by its flow."""
    flat = nest.flatten(sequence, expand_composites=True)
    return [item.flow if isinstance(item, TensorArray) else item for item in flat]


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """The inverse of `flatten`.

    Args:
        structure: a structure.
        flat_sequence: a tensor for each of its parts.
    """
    parts = nest.flatten(structure, expand_composites=True)
    made = [
        old.with_flow(new) if isinstance(old, TensorArray) else new
        for old, new in zip(parts, flat_sequence, strict=True)
    ]
    return nest.pack_sequence_as(structure, made, expand_composites=True)


def maybe_captured(tensor: Tensor) -> Tensor:
    """The tensor that stands outside for one of a function's body; the tensor itself if it is no captured one."""
    if not executing_eagerly() and isinstance(tensor.graph, FuncGraph):
        outer = tensor.graph.outer_of(tensor)
        if outer is not None:
            return maybe_captured(outer) if not hasattr(outer, "numpy") else outer
    return tensor


def func_graph_from_py_func(
    name: str,
    python_func: Callable[..., Any],
    args: Any,
    kwargs: Any,
    signature: Sequence[Any] | None = None,
    func_graph: FuncGraph | None = None,
    autograph: bool = False,
    autograph_options: Any = None,
    add_control_dependencies: bool = True,
    arg_names: Sequence[str] | None = None,
    op_return_value: Tensor | None = None,
    collections: dict[Any, list[Any]] | None = None,
    capture_by_value: bool | None = None,
    override_flat_arg_shapes: Sequence[TensorShape | None] | None = None,
) -> FuncGraph:
    """Calls a Python function once in a graph of its own.

    Args:
        name: the name of the graph.
        python_func: the function.
        args, kwargs: its arguments; in the place of tensors and of specs it gets placeholders.
        signature: specs to be taken for `args`, with `kwargs` left out.
        func_graph: the graph; a new one by default.
        autograph: whether Python's control flow is converted.
        autograph_options: what `tf.autograph.experimental.Feature` says of that.
        add_control_dependencies: whether operations with effects run although no result needs them, in their order.
        arg_names: the names of the parameters.
        op_return_value: a tensor to return where the function returns an operation.
        collections: the collections of the graph; the body shares variables' with the graph around by default.
        capture_by_value: whether outer operations are copied into the body.
        override_flat_arg_shapes: a shape for each flat argument, None where its own holds; not together with `signature`.

    Returns:
        the graph, with `inputs`, `outputs`, `structured_outputs` and `structured_input_signature`.

    Raises:
        TypeError: if something is returned that is no tensor; ValueError: if the function changes its arguments.

    Example:
        >>> graph = func_graph_from_py_func("f", lambda x: x + 1.0, (tf.TensorSpec([2], tf.float32),), {})
        >>> [t.shape.as_list() for t in graph.outputs]
        [[2]]
    """
    if signature is not None and override_flat_arg_shapes is not None:
        raise ValueError("Passed both signature and override_flat_arg_shapes.")
    if op_return_value is not None and not isinstance(op_return_value, Tensor):
        raise TypeError(f"op_return_value must be a tensor, got {op_return_value!r}")
    if func_graph is None:
        func_graph = FuncGraph(name, capture_by_value=bool(capture_by_value), collections=collections)
    func_graph.only_for_results = not add_control_dependencies
    func_graph.autograph = autograph
    args, kwargs = (tuple(signature), {}) if signature is not None else (tuple(args), dict(kwargs))
    if autograph:
        run = converted_for_function(python_func, features=autograph_options)
    else:
        run = python_func
    with func_graph.as_default():
        taken = _placeholders(func_graph, args, kwargs, arg_names, override_flat_arg_shapes)
        before = _copied(taken)
        func_graph.structured_input_signature = (
            convert_structure_to_signature(args, arg_names),
            convert_structure_to_signature(kwargs),
        )
        result = run(*taken[0], **taken[1])
        check_mutation(before, taken)
        _set_results(func_graph, python_func, result, op_return_value)
    func_graph.inputs = [t for t in func_graph.inputs if func_graph.outer_of(t) is None] + func_graph.extra_args
    if add_control_dependencies:
        func_graph.control_outputs = [op for op in func_graph.get_operations() if op_is_stateful(op)]
    return func_graph


def _placeholders(
    graph: FuncGraph, args: Any, kwargs: Any, names: Sequence[str] | None, shapes: Sequence[TensorShape | None] | None
) -> Any:
    """The arguments, with placeholders in the place of tensors and specs."""
    numbers = iter(range(len(nest.flatten((args, kwargs), expand_composites=True))))

    def stand_in(value: Any, name: str | None) -> Any:
        number = next(numbers)
        if isinstance(value, Variable) or not isinstance(value, (Tensor, TensorSpec)):
            return value
        shape = shapes[number] if shapes is not None and shapes[number] is not None else value.shape
        own = value.name if isinstance(value, TensorSpec) else None
        return graph.add_input(value.dtype, as_dims(shape), own or name or "placeholder")

    def taken(value: Any, name: str | None) -> Any:
        return nest.map_structure(lambda part: stand_in(part, name), value, expand_composites=True)

    placed = tuple(taken(v, names[i] if names is not None and i < len(names) else None) for i, v in enumerate(args))
    return placed, {key: taken(kwargs[key], key) for key in sorted(kwargs)}


def _copied(structure: Any) -> Any:
    return nest.pack_sequence_as(structure, nest.flatten(structure, expand_composites=True), expand_composites=True)


def _set_results(graph: FuncGraph, function: Callable[..., Any], result: Any, instead: Tensor | None) -> None:
    """Makes what a function returned the outputs of its graph."""

    def as_tensor(value: Any) -> Any:
        if value is None:
            return None
        if instead is not None and isinstance(value, Operation):
            with graph.control_dependencies([value]):
                return raw.Identity(instead)
        if isinstance(value, TensorArray):
            return value
        try:
            tensor = graph.capture(convert_to_tensor(value))
        except (TypeError, ValueError):
            raise TypeError(
                "To be compatible with tf.contrib.eager.defun, Python functions must return zero or more Tensors; in "
                f"compilation of {function}, found return value of type {type(value)}, which is not a Tensor."
            ) from None
        return tensor if graph.only_for_results else raw.Identity(tensor)

    graph.returns_none = result is None
    graph.structured_outputs = nest.map_structure(as_tensor, result, expand_composites=True)
    graph.outputs = [t for t in flatten(graph.structured_outputs) if t is not None]


def lift_to_graph(
    tensors: Iterable[Tensor | Operation],
    graph: Graph,
    sources: Iterable[Tensor] | None = None,
    disallowed_placeholders: Iterable[Operation] | None = None,
    add_sources: bool = False,
    handle_captures: bool = False,
    base_graph: Graph | None = None,
    op_map: Any = None,
) -> Any:
    """Copies what computes tensors into another graph.

    Args:
        tensors: tensors or operations of one graph.
        graph: the other graph; names that are taken there get a number.
        sources: tensors whose own inputs are not copied: placeholders stand for them.
        disallowed_placeholders: placeholders that may not be copied, of those that `sources` holds none for.
        add_sources: whether placeholders that are copied become inputs of the function graph `graph`.
        handle_captures: whether what the old function graph captured is captured by the new one too.
        base_graph: the graph of `tensors`; theirs by default.
        op_map: what is copied already: from tensors and operations to theirs in `graph`.

    Returns:
        `op_map` with what has been copied.

    Raises:
        UnliftableError: if a tensor depends on a placeholder which is not to be copied.
    """
    wanted = list(tensors)
    base = wanted[0].graph if base_graph is None and wanted else base_graph
    copied: Any = ObjectIdentityDictionary() if op_map is None else op_map
    given = [source for source in sources or () if source not in copied]
    if handle_captures and isinstance(base, FuncGraph):
        captured = {inner: outer for outer, inner in base.captures}
    else:
        captured = {}
    refused = set(disallowed_placeholders or ())
    known = [*given, *captured, *(key for key in copied if isinstance(key, Tensor))]
    for target in wanted:
        _check_liftable(target, {tensor.op for tensor in known if tensor.op not in refused})
    if base is not None:
        for function in base._functions.values():
            function.add_to_graph(graph)
    with graph.as_default(), graph.control_dependencies(None):
        for source in given:
            outer = captured.get(source)
            made = graph.capture(outer) if outer is not None and isinstance(graph, FuncGraph) else _stand_in(source)
            copied[source], copied[source.op] = made, made.op
            if add_sources and isinstance(graph, FuncGraph) and outer is None:
                graph.inputs.append(made)
        _copy_operations(graph, _before(wanted, copied), captured, copied)
    return copied


def _stand_in(tensor: Tensor) -> Tensor:
    made: Tensor = raw.Placeholder(dtype=tensor.dtype.base_dtype, shape=tensor.shape, name=tensor.op.name)
    return made


def _check_liftable(target: Tensor | Operation, ends: set[Operation]) -> None:
    """Checks that no placeholder but those of `ends` leads to what is to be lifted."""
    first = target if isinstance(target, Operation) else target.op
    reached: dict[Operation, Operation | None] = {first: None}
    pending = [first]
    while pending:
        op = pending.pop()
        if op in ends:
            continue
        if op.type in ("Placeholder", "PlaceholderV2"):
            way: list[Operation] = []
            step: Operation | None = op
            while step is not None:
                way.insert(0, step)
                step = reached[step]
            raise UnliftableError(
                f"Unable to lift tensor {target!r} because it depends transitively on placeholder {op!r} via at least one "
                f"path, e.g.: {' <- '.join(f'{each.name} ({each.type})' for each in way)}"
            )
        for before in [t.op for t in op.inputs] + list(op.control_inputs):
            if before not in reached:
                reached[before] = op
                pending.append(before)


def _before(wanted: Sequence[Tensor | Operation], copied: Any) -> list[Operation]:
    """The operations that are needed and not copied yet, each after those it needs; a loop begins at its Merge."""
    found: dict[Operation, None] = {}
    entered: set[Operation] = set()
    pending = [(item if isinstance(item, Operation) else item.op, False) for item in reversed(wanted)]
    while pending:
        op, complete = pending.pop()
        if complete:
            found[op] = None
            continue
        if op in entered or op in copied:
            continue
        entered.add(op)
        pending.append((op, True))
        needed = [t.op for t in op.inputs if t not in copied] + list(op.control_inputs)
        if op.type == "Merge":
            late = [before for before in needed if before.type == "NextIteration"]
            # What closes the loop comes after all that is in it.
            pending[0:0] = [(before, False) for before in late]
            needed = [before for before in needed if before.type != "NextIteration"]
        pending.extend((before, False) for before in reversed(needed))
    return list(found)


def _copy_operations(
    graph: Graph, operations: Sequence[Operation], captured: dict[Tensor, Tensor], copied: Any
) -> None:
    """Copies operations into a graph; `captured` says what placeholders of their own graph stand for."""
    later: list[tuple[Operation, int, Tensor]] = []
    for op in operations:
        if op.outputs and op.outputs[0] in captured and isinstance(graph, FuncGraph):
            made = graph.capture(captured[op.outputs[0]]).op
        else:
            inputs = []
            for index, tensor in enumerate(op.inputs):
                if tensor not in copied:
                    # The way back of a loop.
                    later.append((op, index, tensor))
                inputs.append(copied[tensor if tensor in copied else op.inputs[0]])
            before = [copied[each] for each in op.control_inputs]
            with graph.control_dependencies(before), graph.device(op.device or None):
                made = graph.create_op(op.type, inputs, name=op.name, attrs=dict(op.attrs))
        copied[op] = made
        for old, new in zip(op.outputs, made.outputs, strict=True):
            copied[old] = new
    for op, index, tensor in later:
        copied[op]._update_input(index, copied[tensor])
