"""Functions of object graphs in SavedModels: chosen among traces by their arguments, and called."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest, nest_paths
from headrace.core.convert import convert_to_tensor
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec, TypeSpec
from headrace.saved_model.structured_values import FullArgSpec, decoded
from headrace.state.concrete_function import ConcreteFunction

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.graph_functions import Function
    from headrace.core.type_specs import BatchableTypeSpec
    from headrace.core.typing import ShapeLike, TensorLike
    from headrace.messages import protos


class RestoredConcreteFunction(ConcreteFunction):
    """A traced function out of a file.

    Args:
        function: it, as a function of a library.
        captured: what it takes after its arguments, tensors of the current graph.
        described: its `SavedConcreteFunction`.
    """

    def __init__(self, function: Function, captured: Sequence[Any], described: protos.SavedConcreteFunction) -> None:
        graph = function.graph
        count = len(graph.inputs) - len(captured)
        for inner, outer in zip(graph.inputs[count:], captured, strict=True):
            graph._outer_of[inner] = outer
        structure = decoded(described.output_signature)
        self.structure = structure
        graph.returns_none = structure is None
        count = sum(
            1 if isinstance(leaf, TensorSpec) else len(leaf._flat_component_specs)
            for leaf in nest.flatten(structure)
            if isinstance(leaf, TypeSpec)
        )
        if count != len(graph.outputs):
            raise ValueError(
                f"Function {function.name!r} returns {len(graph.outputs)} tensors, and {structure} are told of"
            )
        graph.structured_outputs = () if structure is None else _filled(structure, graph.outputs)
        super().__init__(graph, function.name, decoded(described.canonicalized_input_signature))

    @property
    def structured_outputs(self) -> Any:
        """What it returns, as the file describes it."""
        return self.structure

    @property
    def output_shapes(self) -> Any:
        """The static shapes of what it returns."""
        return nest.map_structure(lambda spec: spec.shape, self.structure, expand_composites=True)

    @property
    def output_dtypes(self) -> Any:
        """The element types of what it returns."""
        return nest.map_structure(lambda spec: spec.dtype, self.structure, expand_composites=True)

    def _structured(self, results: Sequence[Any]) -> Any:
        if self.structure is None:
            return None
        return _filled(self.structure, results)


def _filled(
    structure: BatchableTypeSpec
    | Sequence[BatchableTypeSpec | Mapping[str, TensorSpec]]
    | Mapping[str, TensorSpec | Sequence[TensorSpec]],
    tensors: Sequence[Any],
) -> Any:
    """A structure with values in the places of descriptions."""
    found = iter(tensors)

    def value(leaf: BatchableTypeSpec) -> Any:
        if isinstance(leaf, TensorSpec):
            return next(found)
        if isinstance(leaf, TypeSpec):
            return leaf._pack_components([next(found) for _ in leaf._flat_component_specs])
        return leaf

    return nest.pack_sequence_as(structure, [value(leaf) for leaf in nest.flatten(structure)])


class SignatureMap(dict[str, Any]):
    """The functions of a model for serving, by key; they stay."""

    def __setitem__(self, key: str, value: Any) -> None:
        raise TypeError(f"The signatures of a loaded model cannot be changed; got one for {key!r}.")


class RestoredSignature:
    """A signature of a model: tensors by name in, tensors by name out.

    Args:
        concrete: the function.
        names: of its arguments in order.
    """

    def __init__(self, concrete: ConcreteFunction, names: Sequence[str], positional: int) -> None:
        self.concrete = concrete
        self._names = list(names)
        self._positional = positional

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.concrete, name)

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        """Calls it with its arguments by name.

        Raises:
            TypeError: naming those that are missing or not known.
            ValueError: naming one that is no tensor.
        """
        if len(args) > self._positional:
            raise TypeError(f"Expected at most {self._positional} positional arguments, got {len(args)}.")
        given = dict(zip(self._names, args, strict=False)) | kwargs
        missing, unknown = [n for n in self._names if n not in given], sorted(set(given) - set(self._names))
        if missing or unknown:
            raise TypeError(
                f"Expected argument names {self._names} but got values for {sorted(given)}. Missing: {missing}; not known: "
                f"{unknown}."
            )
        for name, value in given.items():
            if not (isinstance(value, Tensor) or hasattr(value, "handle")):
                raise ValueError(
                    f"A signature is called with tensors: its argument {name!r} got {value!r}; convert it with "
                    "tf.convert_to_tensor."
                )
        return self.concrete.call_flat([given[name] for name in self._names])


class RestoredFunction:
    """What a `tf.function` is in a loaded model.

    Args:
        name: what to call it in errors.
        concrete: its traces.
        described: its `SavedFunction`.

    Attributes:
        concrete_functions: the traces.
        spec: the `FunctionSpec` that tells its Python signature.
    """

    def __init__(self, name: str, concrete: Sequence[ConcreteFunction], described: protos.SavedFunction) -> None:
        self.name = name
        self.concrete_functions = list(concrete)
        self.spec = described.function_spec
        self._signature = _python_signature(described.function_spec)

    def _canonical(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        if self._signature is None:
            return args, kwargs
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for arguments like these; `tf.TensorSpec` stands for a tensor.

        Raises:
            ValueError: if there is none.
        """
        return self._chosen(args, kwargs)[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the trace that takes arguments like these.

        Raises:
            ValueError: if there is none, telling those there are.
        """
        concrete, tensors = self._chosen(args, kwargs)
        return concrete.call_flat(tensors)

    def _chosen(self, args: Any, kwargs: Any) -> tuple[ConcreteFunction, list[Any]]:
        try:
            args, kwargs = self._canonical(args, kwargs)
        except TypeError as error:
            raise ValueError(
                f"Could not find matching function to call loaded from the SavedModel: {self.name} was given {args}, {kwargs}: "
                f"{error}"
            ) from None
        for exactly in (True, False):
            for concrete in self.concrete_functions:
                tensors = _matched(concrete.structured_input_signature, (tuple(args), dict(kwargs)), exactly)
                if tensors is not None:
                    return concrete, tensors
        there = "\n".join(f"  {concrete.structured_input_signature}" for concrete in self.concrete_functions)
        raise ValueError(
            f"Could not find matching function to call loaded from the SavedModel: {self.name} was given {args}, {kwargs}, "
            f"and is there for {len(self.concrete_functions)} kinds of arguments:\n{there}"
        )


def _python_signature(spec: protos.FunctionSpec) -> inspect.Signature | None:
    """The signature of the Python function; None where it is not recorded."""
    found = decoded(spec.fullargspec)
    if found is None:
        return None
    if getattr(found, "_fields", None) != FullArgSpec._fields:
        raise ValueError(f"The arguments of a function are described by {found!r}")
    kind = inspect.Parameter
    names = list(found.args)
    defaults = list(found.defaults or ())
    if spec.is_method and names:
        names = names[1:]
    by_name = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True)) if defaults else {}
    made = [kind(n, kind.POSITIONAL_OR_KEYWORD, default=by_name.get(n, kind.empty)) for n in names]
    if found.varargs:
        made.append(kind(found.varargs, kind.VAR_POSITIONAL))
    plain = found.kwonlydefaults or {}
    made += [kind(n, kind.KEYWORD_ONLY, default=plain.get(n, kind.empty)) for n in found.kwonlyargs or ()]
    if found.varkw:
        made.append(kind(found.varkw, kind.VAR_KEYWORD))
    try:
        return inspect.Signature(made)
    except ValueError:
        # A parameter without a default after one that has one: partial functions are told so.
        return None


def _matched(signature: Any, given: Sequence[Sequence[Any] | Mapping[Any, Any]], exactly: bool) -> list[Any] | None:
    """The tensors among arguments that fit a trace; None if they do not."""
    try:
        if exactly:
            nest.assert_same_structure(signature, given)
            values = nest.flatten(given)
        else:
            # A list may be meant as a tensor.
            values = nest_paths.flatten_up_to(signature, given)
    except (TypeError, ValueError):
        return None
    tensors: list[Any] = []
    for spec, value in zip(nest.flatten(signature), values, strict=True):
        if isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec):
            parts = _parts(spec, value)
            if parts is None:
                return None
            tensors += parts
            continue
        if not isinstance(spec, TensorSpec):
            if isinstance(value, (Tensor, np.ndarray)) or type(value) is not type(spec) or value != spec:
                return None
            continue
        if isinstance(value, TensorSpec):
            if value.dtype != spec.dtype or not _covers(spec, value.shape):
                return None
            tensors.append(value)
            continue
        if value is None or (isinstance(value, (str, bytes, bool)) and spec.dtype.name not in ("string", "bool")):
            return None
        if exactly and not isinstance(value, Tensor):
            return None
        try:
            tensor = convert_to_tensor(value, None if isinstance(value, Tensor) else spec.dtype)
        except (TypeError, ValueError):
            return None
        if tensor.dtype.base_dtype != spec.dtype or not _covers(spec, tensor.shape):
            return None
        tensors.append(tensor)
    return tensors


def _parts(spec: TypeSpec, value: TensorLike | SparseTensor | CompositeTensor) -> list[Any] | None:
    """The tensors that a sparse or ragged value is made of; None if it is not what is wanted."""
    if isinstance(value, TypeSpec):
        return spec._flat_component_specs if spec.is_compatible_with(value) else None
    try:
        fits = spec.is_compatible_with(value)
    except (TypeError, ValueError):
        return None
    if not fits:
        return None
    return [convert_to_tensor(part) for part in nest.flatten(spec._to_components(value), expand_composites=True)]


def _covers(spec: TensorSpec, shape: ShapeLike) -> bool:
    return bool(spec.shape.is_compatible_with(shape))
