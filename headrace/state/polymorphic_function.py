"""`tf.function`: a Python function that is traced into a graph for each kind of arguments it is called with."""

from __future__ import annotations

import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.autograph import converted_for_function
from headrace.core import nest, nest_paths
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.composite_types import CompositeTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import DType
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.operation import Operation
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec, TypeSpec, spec_from_value
from headrace.state.concrete_function import ConcreteFunction
from headrace.state.scoping import variable_creator_scope

if TYPE_CHECKING:
    from headrace.core.type_specs import BatchableTypeSpec
    from headrace.core.typing import TensorLike
    from headrace.state.variable_class import Variable


# Not empty: functions run as Python, untraced.
_plain_calls: list[bool] = []


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Lets functions of `tf.function` run as plain Python while executing eagerly, for debugging; or no longer.

    Args:
        run_eagerly: whether they do.

    Example:
        >>> tf.config.experimental_run_functions_eagerly(True)
    """
    _plain_calls[:] = [True] if run_eagerly else []


class PolymorphicFunction:
    """What `tf.function` makes of a Python function; see there."""

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Sequence[BatchableTypeSpec] | None = None,
        autograph: bool = True,
        experimental_autograph_options: Any = None,
        experimental_relax_shapes: bool = False,
        creates_variables_once: bool = True,
        owner: Any = None,
    ) -> None:
        self._python_function = python_function
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        self._autograph_options = experimental_autograph_options
        self._relax_shapes = experimental_relax_shapes
        self._once = creates_variables_once
        self._owner = owner
        self._name = getattr(python_function, "__name__", type(python_function).__name__)
        self._traces: dict[Any, ConcreteFunction] = {}
        self._relaxed: dict[Any, list[Any]] = {}
        self._inside: set[int] = set()  # the graphs of other functions that it was traced in, by id
        self._bound: weakref.WeakKeyDictionary[Any, PolymorphicFunction] = weakref.WeakKeyDictionary()
        self._variables: list[Any] = []
        self._lock = threading.RLock()
        self._parameters = inspect.signature(python_function) if callable(python_function) else None
        functools.update_wrapper(self, python_function, updated=())

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function."""
        return self._python_function

    @property
    def input_signature(self) -> tuple[BatchableTypeSpec, ...] | None:
        """The signature it was made with, None if it takes any arguments."""
        return self._input_signature

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        try:
            found = self._bound.get(instance)
        except TypeError:
            return functools.partial(self.__call__, instance)
        if found is None:
            method = self._python_function.__get__(_WeakInstance(instance).get())
            found = self._bound[instance] = PolymorphicFunction(
                method,
                self._input_signature,
                self._autograph,
                self._autograph_options,
                self._relax_shapes,
                self._once,
            )
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the graph traced for arguments like these, tracing it if it is the first such call."""
        if _plain_calls and self._once and executing_eagerly():
            return self._python_function(*args, **kwargs)
        concrete, tensors = self._for(args, kwargs)
        return concrete.call_flat(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The traced function for arguments like these; `tf.TensorSpec` stands for any tensor of its type and shape.

        Raises:
            ValueError: if arguments are given beside an `input_signature` that they do not fit.
        """
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        return self._for(args, kwargs)[0]

    def outermost_traces(self) -> list[ConcreteFunction]:
        """Its traces outside of other functions; what it was traced for in a function is traced outside of it too."""
        inner = [trace for key, trace in self._traces.items() if key[0] in self._inside]
        for trace in inner:
            args, kwargs = trace.structured_input_signature
            described = nest.map_structure(_described, (args, kwargs))
            self.get_concrete_function(*described[0], **described[1])
        return [trace for key, trace in self._traces.items() if key[0] not in self._inside]

    def _canonical(self, args: Sequence[Any], kwargs: Mapping[str, bool]) -> tuple[Any, Any]:
        if self._parameters is None:
            return args, kwargs
        bound = self._parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args, bound.kwargs

    def _for(self, args: Sequence[Any], kwargs: Mapping[str, bool]) -> tuple[ConcreteFunction, list[Any]]:
        if self._input_signature is not None:
            args = self._signed(args, kwargs)
            kwargs = {}
        else:
            args, kwargs = self._canonical(args, kwargs)
        flat = _flat((args, kwargs))
        signed = None if self._input_signature is None else _flat(list(self._input_signature))
        key_parts: list[Any] = []
        tensors: list[Any] = []
        specs: list[Any] = []
        for i, value in enumerate(flat):
            spec = value if isinstance(value, TensorSpec) else None
            if spec is None and isinstance(value, (np.ndarray, np.generic)):
                value = convert_to_tensor(value)
            if spec is None and isinstance(value, Tensor):
                spec = TensorSpec(value.shape if signed is None else signed[i].shape, value.dtype.base_dtype)
            if spec is not None:
                key_parts.append((spec.dtype, as_dims(spec.shape)))
                tensors.append(value)
                specs.append(spec)
            else:
                key_parts.append(_key_of(value))
                specs.append(_StaticArgument(value))
        outer = None if executing_eagerly() else get_default_graph()
        # With a signature all arguments have its structure.
        structure = ""
        if signed is None:
            structure = repr(nest.map_structure(_outline, (args, kwargs)))
        shape_free = (id(outer), structure, tuple(_without_dims(part) for part in key_parts))
        key = (id(outer), structure, tuple(key_parts))
        with self._lock:
            found = self._traces.get(key)
            if found is None and self._relax_shapes:
                found = self._relaxed_trace(shape_free, key_parts)
            if found is None:
                if self._relax_shapes:
                    specs = self._relax(shape_free, specs)
                found = self._trace(specs, (args, kwargs))
                found.keeps = (outer, [s.value for s in specs if isinstance(s, _StaticArgument)])
                self._traces[key] = found
                if isinstance(outer, FuncGraph):
                    self._inside.add(id(outer))
                if self._relax_shapes:
                    self._relaxed.setdefault(shape_free, []).append((specs, found))
        return found, tensors

    def _relaxed_trace(self, shape_free: Any, parts: list[Any]) -> ConcreteFunction | None:
        for specs, concrete in reversed(self._relaxed.get(shape_free, [])):
            fits = all(
                isinstance(spec, _StaticArgument) or _covers(as_dims(spec.shape), part[1])
                for spec, part in zip(specs, parts, strict=True)
            )
            if fits:
                return concrete
        return None

    def _relax(self, shape_free: Any, specs: list[Any]) -> list[Any]:
        """The second shape seen of an argument makes what differs unknown."""
        earlier = self._relaxed.get(shape_free)
        if not earlier:
            return specs
        before = earlier[-1][0]
        made: list[Any] = []
        for old, new in zip(before, specs, strict=True):
            if isinstance(new, _StaticArgument):
                made.append(new)
                continue
            a, b = as_dims(old.shape), as_dims(new.shape)
            if a is None or b is None or len(a) != len(b):
                dims: Any = None
            else:
                dims = [x if x == y else None for x, y in zip(a, b, strict=True)]
            made.append(TensorSpec(TensorShape(dims), new.dtype))
        return made

    def _signed(self, args: Sequence[Any], kwargs: Any) -> tuple[Any, ...]:
        count = len(args) + len(kwargs)
        args, kwargs = self._canonical(args, kwargs)
        given = list(args) + list(kwargs.values())
        signature = self._input_signature
        assert signature is not None
        # Parameters beyond it that are not given keep their defaults.
        del given[max(count, len(signature)) :]
        try:
            values = nest_paths.flatten_up_to(list(signature), given)
        except (TypeError, ValueError):
            raise ValueError(
                f"Structure of Python function inputs does not match input_signature: inputs {given}, input_signature "
                f"{signature}."
            ) from None
        made: list[Any] = []
        for value, spec in zip(values, nest.flatten(list(signature)), strict=True):
            if isinstance(value, TypeSpec) and spec.is_compatible_with(value):
                made.append(spec)
                continue
            if not isinstance(spec, TensorSpec):
                if not isinstance(value, CompositeTensor | IndexedSlices | SparseTensor) or not spec.is_compatible_with(
                    value
                ):
                    raise ValueError(
                        f"Structure of Python function inputs does not match input_signature: inputs {given}, "
                        f"input_signature {signature}."
                    )
                made.append(value)
                continue
            tensor = convert_to_tensor(value, spec.dtype)
            if not spec.shape.is_compatible_with(tensor.shape):
                raise ValueError(
                    f"Python inputs incompatible with input_signature: inputs ({value}), input_signature ({signature})"
                )
            made.append(tensor)
        return tuple(nest.pack_sequence_as(list(signature), made))

    def _trace(self, specs: list[Any], arguments: Sequence[Sequence[Any] | Mapping[Any, Any]]) -> ConcreteFunction:
        graph = FuncGraph(self._name)
        made_before = bool(self._variables)
        created: list[Any] = []

        def keep(next_creator: Callable[..., Any], **settings: Any) -> Variable:
            if made_before and self._once:
                raise ValueError("tf.function-decorated function tried to create variables on non-first call.")
            variable = next_creator(**settings)
            created.append(weakref.ref(variable))
            return variable

        function = self._converted()
        # What a tensor says of Python's `if` and `for`.
        graph.autograph = self._autograph
        with graph.as_default(), variable_creator_scope(keep):
            inner: list[Any] = []
            names = self._argument_names(arguments)
            assert len(names) == len(specs)
            for spec, name in zip(specs, names, strict=True):
                if isinstance(spec, _StaticArgument):
                    inner.append(spec.value)
                else:
                    inner.append(graph.add_input(spec.dtype, as_dims(spec.shape), spec.name or name))
            args, kwargs = _packed(arguments, inner)
            result = function(*args, **kwargs)
            graph.returns_none = result is None
            result = nest.map_structure(_as_result, result, expand_composites=True) if result is not None else ()
            graph.structured_outputs = nest.map_structure(
                lambda x: graph.capture(x) if isinstance(x, Tensor) else x, result, expand_composites=True
            )
            graph.outputs = [
                t for t in nest.flatten(graph.structured_outputs, expand_composites=True) if isinstance(t, Tensor)
            ]
        self._variables.extend(created)
        graph.inputs = [t for t in graph.inputs if graph.outer_of(t) is None] + graph.extra_args
        return ConcreteFunction(graph, self._name, arguments)

    def _argument_names(self, arguments: Sequence[Sequence[Any] | Mapping[Any, Any]]) -> list[str]:
        """For each flat argument the name of the parameter that it is given for, or is a part of."""
        args, kwargs = arguments
        parameters = list(self._parameters.parameters.values()) if self._parameters else []
        named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        found: list[str] = []
        for i, value in enumerate(args):
            parts = len(_flat(value))
            found += [named[i]] * parts if i < len(named) else [f"args_{len(found) + k}" for k in range(parts)]
        for name in sorted(kwargs):
            found += [name] * len(_flat(kwargs[name]))
        return found

    def _converted(self) -> Callable[..., Any]:
        """The Python function, its control flow turned into that of the graph where that is asked for."""
        return converted_for_function(self._python_function) if self._autograph else self._python_function


class _StaticArgument:
    """An argument that is a part of the trace."""

    dtype: DType | None = None

    def __init__(self, value: bool | float | None) -> None:
        self.value = value


class _WeakInstance:
    """An object that a method is bound to without keeping it alive."""

    def __init__(self, instance: object) -> None:
        self._reference = weakref.ref(instance)

    def get(self) -> Any:
        """The object."""
        return weakref.proxy(self._reference())


def _outline(value: Any) -> Any:
    """What an argument adds to the structure of a call: 0 for a plain one, the kind and the number of parts of a composite."""
    if not isinstance(value, CompositeTensor):
        return 0
    return type(value).__name__, len(nest.flatten(value, expand_composites=True))


def _flat(structure: object) -> list[Any]:
    """The leaves of a structure: the tensors of composite values, and the specs of the tensors of their specs."""
    leaves: list[Any] = []
    for leaf in nest.flatten(structure, expand_composites=True):
        leaves += leaf._flat_component_specs if _is_composite_spec(leaf) else [leaf]
    return leaves


def _packed(
    structure: Sequence[Sequence[Any] | Mapping[Any, Any]], flat: list[Any]
) -> tuple[tuple[Any, ...], dict[Any, Any]]:
    """A structure with `flat` in the places of what `_flat` gives of it."""
    left = iter(flat)
    leaves = [
        leaf._pack_components([next(left) for _ in leaf._flat_component_specs])
        if _is_composite_spec(leaf)
        else next(left)
        for leaf in nest.flatten(structure, expand_composites=True)
    ]
    return nest.pack_sequence_as(structure, leaves, expand_composites=True)


def _is_composite_spec(value: TensorLike | BatchableTypeSpec | None) -> bool:
    return isinstance(value, TypeSpec) and not isinstance(value, TensorSpec)


def _described(value: Tensor) -> Any:
    """The description of a tensor or a value of several; anything else as it is."""
    if isinstance(value, Tensor | CompositeTensor | IndexedSlices | SparseTensor):
        return spec_from_value(value)
    return value


def _covers(known: Any, dims: Any) -> bool:
    if known is None:
        return True
    if dims is None or len(dims) != len(known):
        return False
    return all(k is None or k == d for k, d in zip(known, dims, strict=True))


def _key_of(value: bool | float | None) -> Any:
    try:
        hash(value)
    except TypeError:
        return id(value)
    if hasattr(value, "handle"):
        return "variable", id(value)
    return type(value), value


def _without_dims(part: Sequence[Any]) -> Any:
    return part[0] if isinstance(part, tuple) and len(part) == 2 and isinstance(part[0], DType) else part


def _as_result(value: Tensor | None) -> Tensor | None:
    if value is None:
        return None
    if isinstance(value, Operation):
        return None
    return convert_to_tensor(value)


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[BatchableTypeSpec] | None = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
    experimental_compile: bool | None = None,
) -> Any:
    """Makes a Python function one that is traced into a graph for each kind of arguments, and then runs as a plan.

    Args:
        func: the function; without it a decorator is returned.
        input_signature: a `tf.TensorSpec` for each argument; one graph then serves all calls.
        autograph: whether Python's `if`, `while` and `for` over tensors become those of the graph.
        experimental_autograph_options: features of that conversion.
        experimental_relax_shapes: whether shapes that differ from call to call become unknown ones, rather than a graph each.
        experimental_compile: whether TensorFlow would compile the function with XLA; plans are made of it in either case.

    Returns:
        a callable, with `get_concrete_function`.

    Raises:
        ValueError: from a later call that makes variables the first call did not make.

    Example:
        >>> @tf.function
        ... def f(x):
        ...     return x ** 2
        >>> f(tf.constant(3.0))
    """
    if func is None:
        return lambda f: function(
            f,
            input_signature,
            autograph,
            experimental_autograph_options,
            experimental_relax_shapes,
            experimental_compile,
        )
    _check_signature(input_signature)
    return PolymorphicFunction(
        func, input_signature, autograph, experimental_autograph_options, experimental_relax_shapes
    )


def defun(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """As `tf.function`, whose arguments it takes, for a function that may make variables in any call."""
    if func is None:
        return lambda f: defun(f, input_signature, autograph, experimental_autograph_options, experimental_relax_shapes)
    _check_signature(input_signature)
    return PolymorphicFunction(
        func,
        input_signature,
        autograph,
        experimental_autograph_options,
        experimental_relax_shapes,
        creates_variables_once=False,
    )


def _check_signature(signature: Sequence[BatchableTypeSpec] | None) -> None:
    if signature is None:
        return
    if not isinstance(signature, (tuple, list)):
        raise TypeError(f"input_signature must be either a tuple or a list, received {type(signature)}")
    if not all(isinstance(spec, TypeSpec) for spec in nest.flatten(list(signature))):
        raise TypeError(
            f"Invalid input_signature {signature}; input_signature must be a possibly nested sequence of TensorSpec objects."
        )


__all__ = ["ConcreteFunction", "PolymorphicFunction", "defun", "function"]
