"""Functions of objects that are written: their traces, their Python signatures, and functions to serve by."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from headrace.core import nest
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.composite_types import CompositeTensor
from headrace.core.func_graph import FuncGraph
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec, TypeSpec, spec_from_value
from headrace.messages import protos
from headrace.saved_model.restored import RestoredConcreteFunction, RestoredFunction, RestoredSignature
from headrace.saved_model.structured_values import FullArgSpec, encoded
from headrace.state.composed_results import ComposedResult
from headrace.state.concrete_function import ConcreteFunction
from headrace.state.polymorphic_function import PolymorphicFunction

_COMPOSITES = (CompositeTensor, IndexedSlices, SparseTensor)


_FUNCTIONS = (PolymorphicFunction, ConcreteFunction, RestoredFunction)


def functions_of(item: object) -> dict[str, Any]:
    """The `tf.function`s among an object's attributes and methods, by name; of a list or dict, among its elements."""
    if isinstance(item, (list, dict)):
        members = item.items() if isinstance(item, dict) else enumerate(item)
        return {str(key): value for key, value in members if isinstance(value, _FUNCTIONS)}
    found = {}
    for name in dir(type(item)):
        if isinstance(inspect.getattr_static(type(item), name, None), PolymorphicFunction):
            found[name] = getattr(item, name)
    for name, value in vars(item).items():
        if isinstance(value, _FUNCTIONS):
            found[name] = value
    return dict(sorted(found.items()))


def traces_of(function: Any) -> list[ConcreteFunction]:
    """The traces of a function, made now where it has none but says what it takes."""
    if isinstance(function, ConcreteFunction):
        return [function]
    if isinstance(function, RestoredFunction):
        return function.concrete_functions
    if not function._traces and function.input_signature is not None:
        function.get_concrete_function()
    return function.outermost_traces()


def dims_of(shape: Any) -> Any:
    """A static shape as plain sizes."""
    return None if shape.ndims is None else tuple(shape.as_list())


def spec_of_result(value: Any) -> Any:
    """The spec of a tensor, composite tensor or dataset that a function returns; any other value as it is."""
    if isinstance(value, _COMPOSITES):
        return spec_from_value(value)
    if isinstance(value, ComposedResult):
        return value.spec
    if not isinstance(value, (Tensor, TensorSpec)):
        return value
    return TensorSpec(value.shape, value.dtype.base_dtype)


def plain_containers(structure: Any) -> Any:
    """A structure with Python's own containers."""
    if isinstance(structure, dict):
        return {key: plain_containers(item) for key, item in structure.items()}
    if isinstance(structure, list):
        return [plain_containers(item) for item in structure]
    if isinstance(structure, tuple) and not hasattr(structure, "_fields"):
        return tuple(plain_containers(item) for item in structure)
    return structure


def named_by_place(structure: Any, place: str = "") -> Any:
    """A structure whose specs of tensors have the names of their places in it: keys and numbers, with slashes between."""
    if isinstance(structure, dict):
        return {key: named_by_place(item, f"{place}/{key}") for key, item in structure.items()}
    if isinstance(structure, (list, tuple)):
        keys = getattr(structure, "_fields", range(len(structure)))
        items = [named_by_place(item, f"{place}/{key}") for key, item in zip(keys, structure, strict=True)]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    if isinstance(structure, TensorSpec) and place:
        return TensorSpec(structure.shape, structure.dtype, place[1:])
    return structure


def specs_of_arguments(concrete: ConcreteFunction) -> Any:
    """The arguments of a trace: specs with the names of its parameters for tensors, other values as they are."""
    parameters = iter(concrete.inputs)

    def spec(value: Any) -> Any:
        if isinstance(value, _COMPOSITES):
            value = spec_from_value(value)
        if isinstance(value, TypeSpec) and not isinstance(value, TensorSpec):
            for _ in value._flat_component_specs:
                next(parameters)
            return value
        if isinstance(value, (Tensor, TensorSpec)) or hasattr(value, "__array__"):
            parameter = next(parameters)
            return TensorSpec(parameter.shape, parameter.dtype.base_dtype, parameter.op.name)
        return value

    if concrete.structured_input_signature is None:
        # Taken from a graph: tensors by name.
        names = concrete._arg_keywords or [parameter.op.name for parameter in concrete.inputs]
        return tuple(
            TensorSpec(p.shape, p.dtype.base_dtype, name) for name, p in zip(names, concrete.inputs, strict=False)
        ), {}
    args, kwargs = concrete.structured_input_signature
    if isinstance(concrete, RestoredConcreteFunction):
        return plain_containers((tuple(args), dict(kwargs)))
    return plain_containers(nest.map_structure(spec, (tuple(args), dict(kwargs))))


def function_spec_of(function: Any) -> Any:
    """The Python signature of a function, as SavedModels tell it."""
    message = protos.SavedObjectGraph().nodes.add().function.function_spec
    if isinstance(function, RestoredFunction):
        message.CopyFrom(function.spec)
        return message
    if isinstance(function, ConcreteFunction):
        args, _ = function.structured_input_signature
        spec = FullArgSpec([f"args_{i}" for i in range(len(args))], None, None, None, [], None, {})
    else:
        found = inspect.getfullargspec(function.python_function)
        spec = FullArgSpec(
            found.args, found.varargs, found.varkw, found.defaults, found.kwonlyargs, found.kwonlydefaults, {}
        )
        message.is_method = inspect.ismethod(function.python_function)
        message.input_signature.CopyFrom(encoded(function.input_signature))
    message.fullargspec.CopyFrom(encoded(spec))
    return message


def only_trace(function: Any) -> ConcreteFunction | None:
    """The trace of a function that can serve, if it says by itself what it takes."""
    if getattr(function, "input_signature", None) is None and not isinstance(
        function, ConcreteFunction | RestoredFunction
    ):
        return None
    traces = traces_of(function)
    if len(traces) != 1 or traces[0].graph.returns_none:
        return None
    found = traces[0].graph.structured_outputs
    flat = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list | tuple) else [found]
    return traces[0] if flat and all(isinstance(item, Tensor) for item in flat) else None


def one_trace(key: str, function: Any) -> ConcreteFunction:
    """The trace that serves for the signature `key`.

    Raises:
        ValueError: if `function` says by no `input_signature` what it takes, or is no function of TensorFlow.
    """
    if isinstance(function, RestoredSignature):
        return function.concrete
    if isinstance(function, ConcreteFunction):
        return function
    traces = []
    if isinstance(function, RestoredFunction) or (
        isinstance(function, PolymorphicFunction) and function.input_signature is not None
    ):
        traces = traces_of(function)
    if len(traces) != 1:
        raise ValueError(
            f"Expected a TensorFlow function to generate a signature for, but got {function!r} for {key!r}: give a tf.function "
            "with an input_signature, or what its get_concrete_function(...) returns."
        )
    return traces[0]


def serving_function(key: str, concrete: ConcreteFunction) -> ConcreteFunction:
    """A function that takes tensors by name and returns a dict of them."""
    args, kwargs = specs_of_arguments(concrete)
    specs = [spec for spec in nest.flatten((args, kwargs)) if isinstance(spec, TensorSpec)]
    by_name = {str(spec.name): spec for spec in specs}
    if len(by_name) != len(specs):
        raise ValueError(f"Signature {key!r}: two arguments have one name; name them by tf.TensorSpec(..., name=...).")
    outputs = concrete.graph.structured_outputs

    def serve(tensors: Mapping[str, Any]) -> Any:
        found = concrete.call_flat([tensors[str(spec.name)] for spec in specs])
        if concrete.graph.returns_none:
            raise TypeError(f"The function of signature {key!r} must return tensors, and returns None.")
        if isinstance(outputs, dict):
            return dict(found)
        flat = found if isinstance(found, list | tuple) else [found]
        if len(nest.flatten(flat)) != len(flat):
            raise ValueError(f"Got non-flat outputs {found} from the function of signature {key!r}.")
        return {f"output_{i}": value for i, value in enumerate(flat)}

    return _traced(f"signature_wrapper_{key}", by_name, serve, key)


def _traced(name: str, specs: Mapping[str, Any], body: Callable[..., Any], key: str) -> ConcreteFunction:
    graph = FuncGraph(name)
    with graph.as_default():
        inputs = {arg: graph.add_input(spec.dtype, dims_of(spec.shape), arg) for arg, spec in sorted(specs.items())}
        found = body(inputs)
        for output, value in found.items():
            if not isinstance(output, str):
                raise ValueError(f"Got a key that is no text, {output!r}, in the outputs for signature {key!r}.")
            if not isinstance(value, Tensor):
                raise ValueError(
                    f"Got a dictionary containing non-Tensor value {value} for key {output} in the output of the function of "
                    f"signature {key!r}."
                )
        graph.structured_outputs = {
            output: raw.Identity(graph.capture(value), name=output) for output, value in sorted(found.items())
        }
        graph.outputs = list(graph.structured_outputs.values())
    graph.inputs = [t for t in graph.inputs if graph.outer_of(t) is None] + graph.extra_args
    signature = ((), {arg: TensorSpec(t.shape, t.dtype.base_dtype, arg) for arg, t in inputs.items()})
    return ConcreteFunction(graph, name, signature)
