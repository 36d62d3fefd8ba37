"""`tf.function`: a Python function that is traced into a graph for each kind of arguments it is called with."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.autograph import converted_for_function
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.errors import InaccessibleTensorError
from headrace.core.func_graph import FuncGraph
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.kernels.flow.contexts import output_context
from headrace.state.composed_results import ComposedResult
from headrace.state.concrete_function import ConcreteFunction
from headrace.state.function_spec import (
    FunctionSpec,
    StaticArgument,
    check_signature,
    covers,
    described_value,
    key_of,
    outline,
    packed,
    structure_text,
    without_dims,
)
from headrace.state.function_spec import (
    flat as flat_arguments,
)
from headrace.state.kept_traces import KeptTraces
from headrace.state.lifted_initial_values import LaterInitialized, initialize, make_variable, refuse_inner_value
from headrace.state.scoping import variable_creator_scope

if TYPE_CHECKING:
    from headrace.core.type_specs import BatchableTypeSpec
    from headrace.state.variable_class import Variable


# Not empty: functions run as Python, untraced.
_plain_calls: list[bool] = []


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Lets functions of `tf.function` run as plain Python while executing eagerly, for debugging; or no longer.

    Args:
        run_eagerly: whether they do.

    Example:
        >>> tf.config.experimental_run_functions_eagerly(True)
        >>> tf.config.experimental_run_functions_eagerly(False)  # functions are graphs again
    """
    _plain_calls[:] = [True] if run_eagerly else []


class PolymorphicFunction(KeptTraces):
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
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        if not callable(python_function):
            raise TypeError(
                f"tf.function takes a Python function, and got {python_function!r}, which cannot be called."
            )
        self._python_function = python_function
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._autograph = autograph
        self._autograph_options = experimental_autograph_options
        self._relax_shapes = experimental_relax_shapes
        self._once = creates_variables_once
        self._owner = owner
        self._attributes = attributes
        self._name = getattr(python_function, "__name__", type(python_function).__name__)
        self._traces: dict[Any, ConcreteFunction] = {}
        # Of calls that differ in sizes alone the last trace, with what it was traced for; where the first call of all was.
        self._relaxed: dict[Any, tuple[list[Any], ConcreteFunction]] = {}
        self._called_in: set[int] = set()
        self._inside: set[int] = set()  # the graphs of other functions that it was traced in, by id
        self._bound: weakref.WeakKeyDictionary[Any, PolymorphicFunction] = weakref.WeakKeyDictionary()
        self._bound_to: weakref.ref[Any] | None = None  # the object that it is a method of
        self._variables: list[Any] = []
        # What of a trace runs while variables that begin with values from its arguments have none.
        self._first_calls: dict[ConcreteFunction, ConcreteFunction] = {}
        # Variables whose values `get_initialization_function` computes later; None where they are computed at once.
        self._waiting: list[LaterInitialized] | None = None
        self._lock = threading.RLock()
        self._spec = FunctionSpec(python_function, self._input_signature)
        functools.update_wrapper(self, python_function, updated=())

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function."""
        return self._python_function

    @property
    def input_signature(self) -> tuple[BatchableTypeSpec, ...] | None:
        """The signature it was made with, None if it takes any arguments."""
        return self._input_signature

    @property
    def function_spec(self) -> FunctionSpec:
        """What it takes."""
        return self._spec

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self
        try:
            found = self._bound.get(instance)
        except TypeError:
            return functools.partial(self.__call__, instance)
        if found is None:
            reference = weakref.ref(instance)
            method = self._python_function.__get__(weakref.proxy(instance))
            found = self._bound[instance] = PolymorphicFunction(
                method,
                self._input_signature,
                self._autograph,
                self._autograph_options,
                self._relax_shapes,
                self._once,
                attributes=self._attributes,
            )
            found._bound_to = reference
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the graph traced for arguments like these, tracing it if it is the first such call."""
        if _plain_calls and self._once and executing_eagerly():
            return self._python_function(*args, **kwargs)
        concrete, tensors = self._for(args, kwargs)
        first = self._first_calls.get(concrete)
        if first is not None:
            if executing_eagerly() and all(variable.is_initialized() for variable in first.graph.variables):
                del self._first_calls[concrete]
            else:
                concrete = first
        return concrete.call_flat(tensors)

    def get_initialization_function(self, *args: Any, **kwargs: Any) -> Any:
        """Traces it for arguments like these; its variables get their values when what is returned is called.

        Raises:
            RuntimeError: if it has been traced before.

        Example:
            >>> model = tf.Module()
            >>> @tf.function
            ... def scaled(x):
            ...     if not hasattr(model, "w"):
            ...         model.w = tf.Variable(2.0)
            ...     return model.w * x
            >>> begin = scaled.get_initialization_function(tf.constant(1.0))
            >>> begin()
            >>> model.w.numpy()
            2.0
        """
        if self._traces:
            raise RuntimeError("get_initialization_function cannot be called after the function has been used")
        waiting: list[LaterInitialized] = []
        self._waiting = waiting
        try:
            self._for(args, kwargs)
        finally:
            self._waiting = None
        return PolymorphicFunction(functools.partial(initialize, waiting), autograph=False)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The traced function for arguments like these; `tf.TensorSpec` stands for any tensor of its type and shape.

        Raises:
            ValueError: if arguments are given beside an `input_signature` that they do not fit.
        """
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        found = self._for(args, kwargs)[0]
        if found._arg_keywords is None:
            found.name_arguments(found.graph.argument_names)
        return found

    def outermost_traces(self) -> list[ConcreteFunction]:
        """Its traces outside of other functions; what it was traced for in a function is traced outside of it too."""
        inner = [trace for key, trace in self._traces.items() if key[0] in self._inside]
        for trace in inner:
            args, kwargs = trace.structured_input_signature
            described = nest.map_structure(described_value, (args, kwargs))
            self.get_concrete_function(*described[0], **described[1])
        return [trace for key, trace in self._traces.items() if key[0] not in self._inside]

    def _for(self, args: Sequence[Any], kwargs: Mapping[str, bool]) -> tuple[ConcreteFunction, list[Any]]:
        if self._input_signature is not None:
            args = self._signed(args, kwargs)
            kwargs = {}
        else:
            args, kwargs = self._spec.canonical(args, kwargs)
        flat = flat_arguments((args, kwargs))
        signed = None if self._input_signature is None else flat_arguments(list(self._input_signature))
        key_parts: list[Any] = []
        tensors: list[Any] = []
        specs: list[Any] = []
        names: list[str | None] = []
        for i, value in enumerate(flat):
            spec = value if isinstance(value, TensorSpec) else None
            # A NumPy scalar is a number, as Python's: part of the trace.
            if spec is None and isinstance(value, np.ndarray):
                value = convert_to_tensor(value)
            if signed is not None and isinstance(signed[i], TensorSpec):
                spec = signed[i]
            elif spec is None and isinstance(value, Tensor):
                spec = TensorSpec(value.shape, value.dtype.base_dtype)
            if spec is not None:
                key_parts.append((spec.dtype, as_dims(spec.shape)))
                names.append(spec.name)
                tensors.append(value)
                specs.append(spec)
            else:
                key_parts.append(key_of(value))
                specs.append(StaticArgument(value))
        outer = None if executing_eagerly() else get_default_graph()
        # With a signature all arguments have its structure.
        structure = ""
        if signed is None:
            structure = structure_text(nest.map_structure(outline, (args, kwargs)))
        shape_free = (id(outer), structure, tuple(without_dims(part) for part in key_parts))
        # What is traced for specs with names has parameters of those names.
        key = (id(outer), structure, tuple(key_parts), tuple(names))
        with self._lock:
            found = self._traces.get(key)
            if found is None and self._relax_shapes:
                found = self._relaxed_trace(shape_free, key_parts)
            if found is None:
                if self._relax_shapes and shape_free in self._relaxed:
                    specs = _relaxed_specs(self._relaxed[shape_free][0], specs)
                    # What the wider trace serves too goes.
                    narrower = self._relaxed[shape_free][1]
                    self._traces = {at: trace for at, trace in self._traces.items() if trace is not narrower}
                found = self._traced_twice(specs, (args, kwargs))
                found.keeps = (outer, [s.value for s in specs if isinstance(s, StaticArgument)])
                self._traces[key] = found
                if isinstance(outer, FuncGraph):
                    self._inside.add(id(outer))
                # As in 1.15 the sizes of the very first call are not among those that are compared.
                if self._relax_shapes and id(outer) in self._called_in:
                    self._relaxed[shape_free] = specs, found
                self._called_in.add(id(outer))
        return found, tensors

    def _signed(self, args: Sequence[Any], kwargs: Mapping[str, bool]) -> tuple[Any, ...]:
        """Arguments as the signature's; the first are looked at when the function has been traced for the signature."""
        try:
            return self._spec.signed(args, kwargs)
        except ValueError:
            if self._traces or args is self._input_signature:
                raise
            self._for(self._input_signature or (), {})
            raise

    def _relaxed_trace(self, shape_free: Any, parts: list[Any]) -> ConcreteFunction | None:
        specs, concrete = self._relaxed.get(shape_free, (None, None))
        if specs is None:
            return None
        fits = all(
            isinstance(spec, StaticArgument) or covers(as_dims(spec.shape), part[1])
            for spec, part in zip(specs, parts, strict=True)
        )
        return concrete if fits else None

    def _traced_twice(self, specs: list[Any], arguments: Sequence[Any]) -> ConcreteFunction:
        """The trace that calls run: where the first one makes variables, another, which may make none."""
        made_before = bool(self._variables)
        found, begins = self._trace(specs, arguments)
        if made_before or not self._variables or not self._once:
            return found
        first, (found, _) = found, self._trace(specs, arguments)
        if begins:
            self._first_calls[found] = first
        return found

    def _trace(self, specs: list[Any], arguments: Sequence[Any]) -> tuple[ConcreteFunction, bool]:
        """A trace, and whether it gives variables that it makes values that come from the arguments."""
        graph = FuncGraph(self._name)
        made_before = bool(self._variables)
        created: list[Any] = []
        begins: list[bool] = []

        def keep(next_creator: Callable[..., Any], **settings: Any) -> Variable:
            if made_before and self._once:
                raise ValueError("tf.function-decorated function tried to create variables on non-first call.")
            if not self._once:
                refuse_inner_value(settings)
            variable, begins_here = make_variable(next_creator, settings, self._waiting)
            begins.append(begins_here)
            created.append(weakref.ref(variable))
            return variable

        if self._bound_to is not None and self._bound_to() is None:
            raise TypeError(
                f"{self._name}() misses its 'self': the object that it is a method of is gone; keep it in a variable."
            )
        function = self._converted()
        # What a tensor says of Python's `if` and `for`.
        graph.autograph = self._autograph
        with graph.as_default(), variable_creator_scope(keep):
            inner: list[Any] = []
            names = self._spec.argument_names(arguments)
            assert len(names) == len(specs)
            for spec, name in zip(specs, names, strict=True):
                if isinstance(spec, StaticArgument):
                    inner.append(spec.value)
                else:
                    inner.append(graph.add_input(spec.dtype, as_dims(spec.shape), spec.name or name))
            args, kwargs = packed(arguments, inner)
            given = nest.map_structure(lambda item: item, (args, kwargs), expand_composites=True)
            result = function(*args, **kwargs)
            _refuse_changed(given, (args, kwargs))
            graph.returns_none = result is None
            result = nest.map_structure(_as_result, result, expand_composites=True) if result is not None else ()
            graph.structured_outputs = nest.map_structure(
                functools.partial(_captured, graph), result, expand_composites=True
            )
            flat = nest.flatten(graph.structured_outputs, expand_composites=True)
            flat = [item.tensor if isinstance(item, ComposedResult) else item for item in flat]
            graph.outputs = [item for item in flat if isinstance(item, Tensor)]
            for tensor in graph.outputs:
                _require_outside(tensor, graph)
        self._variables.extend(created)
        graph.inputs = [t for t in graph.inputs if graph.outer_of(t) is None] + graph.extra_args
        graph.argument_names = [
            spec.name or name for spec, name in zip(specs, names, strict=True) if not isinstance(spec, StaticArgument)
        ]
        signature = graph.structured_input_signature = self._spec.signature_of(arguments, specs)
        return ConcreteFunction(graph, self._name, signature, self._attributes), any(begins)

    def _converted(self) -> Callable[..., Any]:
        """The Python function, its control flow turned into that of the graph where that is asked for."""
        if not self._autograph:
            return self._python_function
        return converted_for_function(self._python_function, self._autograph_options)


def _relaxed_specs(before: Sequence[Any], specs: Sequence[Any]) -> list[Any]:
    """What to trace for where a call differs in sizes from the one before: these sizes become unknown."""
    made: list[Any] = []
    for old, new in zip(before, specs, strict=True):
        if isinstance(new, StaticArgument):
            made.append(new)
            continue
        a, b = as_dims(old.shape), as_dims(new.shape)
        dims: Any = None
        if a is not None and b is not None:
            dims = [x if x == y else None for x, y in zip(a, b, strict=True)]
        made.append(TensorSpec(TensorShape(dims), new.dtype))
    return made


def _refuse_changed(given: Any, now: Any) -> None:
    """Refuses a function that has changed the lists and dictionaries that it was given: calls of its trace would not."""
    message = (
        "Function to be traced should not modify structure of input arguments. Check if your function has list and "
        "dictionary operations that alter input arguments, such as `list.pop`, `list.append`"
    )
    try:
        nest.assert_same_structure(given, now, expand_composites=True)
    except ValueError:
        raise ValueError(message) from None
    before, after = [nest.flatten(each, expand_composites=True) for each in (given, now)]
    if any(one is not other for one, other in zip(before, after, strict=True)):
        raise ValueError(message)


def _captured(graph: FuncGraph, result: Any) -> Any:
    if isinstance(result, ComposedResult):
        return ComposedResult(result.spec, graph.capture(result.tensor))
    return graph.capture(result) if isinstance(result, Tensor) else result


def _as_result(value: Any) -> Tensor | ComposedResult | None:
    if value is None:
        return None
    composed = ComposedResult.of(value)
    if composed is not None:
        return composed
    flow = getattr(value, "flow", None)
    # Of a TensorArray the flow alone: what it writes to ends with the call.
    try:
        tensor = convert_to_tensor(flow if isinstance(flow, Tensor) else value)
    except (TypeError, ValueError):
        raise TypeError(
            "To be compatible with tf.contrib.eager.defun, Python functions must return zero or more Tensors; found return "
            f"value of type {type(value)}, which is not a Tensor."
        ) from None
    made: Tensor = raw.Identity(tensor)
    return made


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
    check_signature(input_signature)
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
    check_signature(input_signature)
    return PolymorphicFunction(
        func,
        input_signature,
        autograph,
        experimental_autograph_options,
        experimental_relax_shapes,
        creates_variables_once=False,
    )


__all__ = ["ConcreteFunction", "PolymorphicFunction", "defun", "function"]


def _require_outside(tensor: Tensor, graph: FuncGraph) -> None:
    """Raises InaccessibleTensorError for a result that lies in a branch or a loop of the function."""
    context = None if tensor.graph is not graph else output_context(tensor.op)
    if context is not None and context.GetWhileContext() is not None:
        raise InaccessibleTensorError(
            f"The tensor {tensor.name!r} cannot be returned: it is defined in the loop '{context.GetWhileContext().name}'. "
            "Make it a loop variable, or write it into a tf.TensorArray."
        )
