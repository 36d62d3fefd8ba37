"""A function traced for one kind of arguments: called as an op, and split in two where a tape records it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.function_gradients import from_parts, masked
from headrace.autodiff.split_functions import SplitFunction
from headrace.core import nest
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import dtype_text
from headrace.core.eager import eager_graph, executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.core.func_graph import FuncGraph
from headrace.core.graph_functions import Function
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.messages.function_def import function_def_of
from headrace.state.composed_results import ComposedResult

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.graph import Graph
    from headrace.core.typing import TensorLike
    from headrace.state.variable_class import Variable


class ConcreteFunction:
    """A traced function: tensors in, the structure that the Python function returned out.

    Args:
        graph: the traced body, whose captured tensors are passed by every call.
        name: what its name in the library begins with.
        signature: the arguments it was traced for.
        attributes: those of its definition in the library.

    Raises:
        ValueError: for an attribute that is no number, bool or text.

    Attributes:
        structured_input_signature: the arguments it was traced for: (positional, by name).
        base_name: what it is called in errors.
        keeps: what must live as long as it.
    """

    keeps: Any

    def __init__(
        self, graph: FuncGraph, name: str, signature: Any = None, attributes: Mapping[str, Any] | None = None
    ) -> None:
        self.graph = graph
        for key, value in (attributes or {}).items():
            if not isinstance(value, (bool, int, float, str, bytes)):
                raise ValueError(f"Unsupported attribute type for {key} with type {type(value)}")
        self.function = Function(None, graph, base=f"__inference_{name}", attrs=dict(attributes or {}))
        self.base_name = name
        self.structured_input_signature = signature
        # How its arguments may be passed by name, where that is known.
        self._arg_keywords: Sequence[str] | None = None
        self._num_positional_args: int | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> bytes:
        """Its name in the library."""
        return self.function.name.encode()

    @property
    def inputs(self) -> list[Tensor]:
        """Its parameters, captured tensors last."""
        return self.function.inputs

    @property
    def outputs(self) -> list[Tensor]:
        """Its results, flat."""
        return self.function.outputs

    @property
    def structured_outputs(self) -> Any:
        """What the Python function returned, as tensors of the body; None if it returned nothing."""
        return None if self.graph.returns_none else self.graph.structured_outputs

    @property
    def output_shapes(self) -> Any:
        """The static shapes of what it returns: lists of them for composite tensors, unknown ones for None."""
        return _of_parts(_static_shape, self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        """The element types of what it returns: lists of them for composite tensors, None for None."""
        return _of_parts(_element_type, self.structured_outputs)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The outer tensors that the body uses."""
        return self.graph.external_captures

    @property
    def _captured_inputs(self) -> list[Tensor]:
        return self.captured_inputs

    @property
    def _func_graph(self) -> FuncGraph:
        return self.graph

    @property
    def _num_outputs(self) -> int:
        return len(self.outputs)

    @property
    def _output_shapes(self) -> tuple[TensorShape, ...]:
        return tuple(tensor.shape for tensor in self.outputs)

    @property
    def variables(self) -> list[Any]:
        """The variables that the body uses."""
        found = [variable_of(tensor) for tensor in self.captured_inputs]
        return [variable for variable in found if variable is not None]

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable ones of `variables`."""
        return [variable for variable in self.variables if variable.trainable]

    @property
    def function_def(self) -> Any:
        """It as a `FunctionDef` message."""
        return function_def_of(self.function)

    def add_to_graph(self, graph: Graph | None = None) -> None:
        """Puts it into the library of `graph`, the default graph by default."""
        self.function.add_to_graph(graph or get_default_graph())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it with the tensors of its arguments: by place, or by the names of its parameters.

        Raises:
            TypeError: if there are too many, too few, or some by names that it does not have.
            ValueError: if one is no tensor.
            NotImplementedError: for names, if its parameters have none.
        """
        if self._arg_keywords is None or self._num_positional_args is None:
            if kwargs:
                raise NotImplementedError(
                    "Keyword arguments not supported when calling a wrap_function-decorated function: its parameters have "
                    "no names. Pass the tensors in order."
                )
            return self.call_flat(nest.flatten(args, expand_composites=True))
        values = self._in_order(args, kwargs)
        for i, value in enumerate(values):
            if not (isinstance(value, Tensor) or hasattr(value, "handle")):
                raise ValueError(
                    f"All inputs to `ConcreteFunction`s must be Tensors; on invocation of {self.base_name}, the {i}-th input "
                    f"({value}) was not a Tensor."
                )
        return self.call_flat(values)

    def _in_order(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments of a call in the order of the parameters."""
        names = self._arg_keywords or []
        places = self._num_positional_args or 0
        if len(args) > places:
            raise TypeError(
                f"Expected at most {places} positional arguments (and the rest keywords, of {names}), got {args}. A concrete "
                "function takes tensors: each tensor of a nested structure is an argument of its own."
            )
        unknown = sorted(set(kwargs) - set(names))
        given = dict(zip(names, args, strict=False))
        missing = [name for name in names if name not in given and name not in kwargs]
        if missing or set(given) & set(kwargs):
            raise TypeError(
                f"Expected argument names {names} but got values for {sorted([*given, *kwargs])}. Missing: {missing}."
            )
        if unknown:
            raise TypeError(f"Keyword arguments {unknown} unknown. Expected {names}.")
        given.update(kwargs)
        return [given[name] for name in names]

    def name_arguments(self, names: Sequence[str]) -> None:
        """Lets its arguments be passed by `names`, in their order; a name that comes again gets a number."""
        unique: list[str] = []
        for name in names:
            proposed, count = name, 0
            while proposed in unique:
                count += 1
                proposed = f"{name}_{count}"
            unique.append(proposed)
        self._arg_keywords, self._num_positional_args = unique, len(unique)

    def call_flat(self, tensors: Sequence[Any]) -> Any:
        """Calls it with its arguments as flat tensors."""
        count = len(self.function.inputs) - len(self.captured_inputs)
        if len(tensors) != count:
            raise ValueError(
                f"Arguments and signature arguments do not match. {self.function.name} takes "
                f"{count} tensors, got: {len(tensors)}."
            )
        inputs = [
            convert_to_tensor(value, None if isinstance(value, Tensor) else parameter.dtype.base_dtype)
            if parameter.dtype.name != "resource" or isinstance(value, Tensor)
            else value.handle
            for value, parameter in zip(tensors, self.function.inputs, strict=False)
        ]
        if executing_eagerly():
            for i, (value, parameter) in enumerate(zip(inputs, self.function.inputs, strict=False)):
                if value.dtype.base_dtype != parameter.dtype.base_dtype:
                    raise InvalidArgumentError(
                        None,
                        None,
                        f"cannot compute {self.function.name} as input #{i}(zero-based) was expected to be a "
                        f"{dtype_text(parameter.dtype)} tensor but is a {dtype_text(value.dtype)} tensor "
                        f"[Op:{self.function.name}]",
                    )
        inputs += self.captured_inputs
        graph = get_default_graph()
        if executing_eagerly() and graph.tapes:
            results = self._call_recorded(inputs)
        elif self.graph.returns_none and not self.function.outputs and not executing_eagerly():
            # A graph has an operation to run; eagerly it has run.
            return self._call_op(self.function, inputs)
        else:
            results = self._call(self.function, inputs)
        return self._structured(results)

    def _call(self, function: Function, inputs: Sequence[Any]) -> list[Any]:
        made = self._call_op(function, inputs)
        if not function.outputs:
            return []
        if get_default_graph().is_eager:
            # What came may have other shapes than what it was traced for.
            return list(made)
        for tensor, known in zip(made, function.outputs, strict=True):
            tensor.set_shape(known.shape)
        return list(made)

    def _call_op(self, function: Function, inputs: Sequence[Any]) -> Any:
        graph = get_default_graph()
        function.add_to_graph(graph)
        if isinstance(graph, FuncGraph) and not self.graph.saveable:
            graph.mark_as_unsaveable(self.graph.saving_errors)
        decl = raw.StatefulPartitionedCall if function.stateful else raw.PartitionedCall
        # 1.x calls what returns nothing so, stateful or not.
        name = None if function.outputs else "PartitionedFunctionCall"
        made = decl(list(inputs), Tout=tuple(function.output_types), f=function.name, name=name)
        return made if function.outputs or graph.is_eager else graph.get_operations()[-1]

    def _call_recorded(self, inputs: Sequence[Any]) -> list[Any]:
        """The call while tapes record: what the gradient needs of the way to the results is kept."""
        graph = eager_graph()
        splits = self._split_for(len(graph.tapes))
        if not splits:
            return self._call(self.function, inputs)
        whole = splits[-1].forward
        with graph.not_recording():
            everything = self._call(whole, inputs)
        # How many results there are, and how many with what the first gradient needs, and with what its gradient needs, …
        counts = [len(self.function.outputs), *(len(split.forward.outputs) for split in splits)]
        parameters = dict(zip(self.function.inputs, inputs, strict=True))

        def backward(*gradients: Any) -> list[Any]:
            last = max((i for i, gradient in enumerate(gradients) if gradient is not None), default=0)
            order = next((order for order, count in enumerate(counts[:-1]) if last < count), None)
            if order is None:
                # A gradient by what was kept for a gradient that nobody foresaw.
                given = [g if g is not None else raw.ZerosLike(y) for g, y in zip(gradients, everything, strict=True)]
                derived = whole.gradient_function()
                whole.add_to_graph(get_default_graph())
                made = raw.SymbolicGradient([*inputs, *given], Tout=derived.output_types, f=whole.name)
                return masked(whole, list(made))
            split = splits[order]
            starts = [
                raw.ZerosLike(everything[i]) if gradients[i] is None else convert_to_tensor(gradients[i])
                for i in split.started
            ]
            kept = everything[counts[order] : counts[order + 1]]
            passed = [parameters[parameter] for parameter in split.parameters]
            made = self._call(split.backward, [*kept, *passed, *starts])  # type: ignore[arg-type]  # there is one, as seen above
            found = iter(from_parts(split.gradients, made))
            return [next(found) if is_on else None for is_on in split.connected]

        watched = [variable for variable in map(variable_of, inputs) if variable is not None and variable.trainable]
        for variable in watched:
            for tape in graph.tapes:
                if tape.watches_variables:
                    tape.watch_variable(variable)
        graph.note(inputs, everything, backward, counts[0])
        return everything[: counts[0]]

    def _split_for(self, tapes: int) -> list[SplitFunction]:
        """The function in two parts, and where several tapes may take gradients of gradients its forward part in two, …"""
        with self._lock:
            function = self.function
            splits: list[SplitFunction] = []
            # What has no state may as well run again for a gradient of a gradient.
            for _ in range(tapes if function.stateful else 1):
                split = SplitFunction.of(function)
                if split.backward is None:
                    break
                splits.append(split)
                function = split.forward
            return splits

    def _structured(self, results: Sequence[Any]) -> Any:
        structure = self.graph.structured_outputs
        if self.graph.returns_none:
            return None
        given = iter(results)
        # What is no tensor, such as None for a gradient that is not there, is returned as it is.
        flat = [_of_caller(item, given) for item in nest.flatten(structure, True)]
        return nest.pack_sequence_as(structure, flat, expand_composites=True)


def _of_parts(function: Callable[[Any], Any], outputs: Any) -> Any:
    """`outputs` with the result of `function` for each tensor, and a flat list of them for each composite tensor."""

    def of_leaf(leaf: Any) -> Any:
        if not nest.is_sequence_or_composite(leaf):
            return function(leaf)
        # 1.15 keeps the parts of an IndexedSlices in a tuple.
        kind = tuple if isinstance(leaf, IndexedSlices) else list
        return kind(function(part) for part in nest.flatten(leaf, expand_composites=True))

    return nest.map_structure(of_leaf, outputs)


def _static_shape(output: Any) -> TensorShape:
    return TensorShape(None) if output is None else output.shape


def _element_type(output: Any) -> DType | None:
    return None if output is None else output.dtype


def _of_caller(item: Any, given: Iterator[Any]) -> Any:
    if isinstance(item, ComposedResult):
        return item.composed(next(given))
    return next(given) if isinstance(item, Tensor) else item


def variable_of(tensor: TensorLike) -> Variable | None:
    """The variable that a handle belongs to, None if there is none."""
    found = getattr(tensor, "_variable", None)
    return None if found is None else found()
