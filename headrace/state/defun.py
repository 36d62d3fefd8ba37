"""`Defun`: Python functions as named functions of the graph, called by ops of their name."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import DType, as_dtype
from headrace.core.func_graph import FuncGraph, trace
from headrace.core.graph import Graph
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.messages.function_def import function_def_of
from headrace.state.variable_scope import VariableScope, get_variable_scope, variable_scope
from headrace.state.variable_store import get_default_variable_store

# What an element type adds to the name of a function that is traced for several combinations of them. As in 1.15, uint8
# and int8 add the same.
_SHORT = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "int32": "i32",
    "uint8": "i8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "int16": "i16",
    "int8": "i8",
    "string": "s",
    "complex64": "c64",
    "complex128": "c128",
    "int64": "i64",
    "bool": "b",
    "qint8": "qi8",
    "quint8": "qu8",
    "qint16": "qi16",
    "quint16": "qu16",
    "qint32": "qi32",
    "bfloat16": "b16",
}


def outer_variables(graph: FuncGraph, read_outside: bool) -> contextlib.AbstractContextManager[Any]:
    """A context in which `get_variable` makes variables around a body that is traced, in the scopes that are there now.

    Args:
        graph: the body's graph.
        read_outside: whether a resource variable comes into the body as its value, a tensor.
    """
    scope = get_variable_scope()

    def getvar(getter: Callable[..., Any], name: str, **arguments: Any) -> Any:
        # The outer scope says how the variable is made.
        del getter
        with graph.outer_graph.as_default():
            variable = scope.get_variable(get_default_variable_store(), name, **arguments)
            graph.extra_vars.append(variable)
            if not (read_outside and hasattr(variable, "handle")):
                return variable
            value = variable.value()
        return value if value._is_graph_tensor else graph.capture(value)

    # Scopes begin anew inside: those around the body are added by the outer one.
    return variable_scope(VariableScope(None), custom_getter=getvar, auxiliary_name_scope=False)


class Defun:
    """A decorator that makes a Python function a function of the graph, traced when it is first called.

    Args:
        *input_types: the element types of its arguments; without them each call traces for the types it gets.
        func_name: its name in the graph; the Python name and a hash by default.
        grad_func: a function made with `Defun` that takes the inputs and the outputs' gradients and returns the inputs'
            gradients.
        python_grad_func: takes the call operation and the outputs' gradients, builds the inputs' gradients.
        out_names: the names of the outputs in the definition.
        shape_func: takes the call operation, returns the static shapes of its outputs.
        capture_by_value: whether what is used from outside is copied into the body instead of passed to it.
        whitelisted_stateful_ops: stateful operations that may be copied so.
        capture_resource_var_by_value: whether a resource variable made with `get_variable` in the body is read outside.
        noinline, compiled, separate_compiled_gradients, experimental_*, _implements, _reference: attributes of the
            definition and of every call.

    Raises:
        ValueError: if the decorated function has defaults or keyword arguments, or takes another number of arguments.

    Example:
        >>> from headrace.python.framework import function
        >>> @function.Defun(tf.float32, tf.float32)
        ... def forward(x, y):
        ...     return x + y, x - y
        >>> c, d = forward(tf.constant([1.0]), tf.constant([2.0]))
        >>> sess.run([c, d])
        [array([3.], dtype=float32), array([-1.], dtype=float32)]
    """

    def __init__(
        self,
        *input_types: Any,
        func_name: str | None = None,
        grad_func: DefinedFunction | None = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self._input_types = [as_dtype(t) for t in input_types]
        self._options: dict[str, Any] = {
            "func_name": func_name,
            "grad_func": grad_func,
            "python_grad_func": python_grad_func,
            "out_names": out_names,
            **kwargs,
        }

    def __call__(self, func: Callable[..., Any]) -> Any:
        if not callable(func):
            raise ValueError(f"function {func} must be callable")
        spec = inspect.getfullargspec(func)
        if spec.varkw or spec.defaults:
            raise ValueError(
                f"function with argument defaults or keywords arguments are not supported. {func} has defaults "
                f"{spec.defaults} and keywords {spec.varkw}."
            )
        names = spec.args[1:] if inspect.ismethod(func) else spec.args
        if self._input_types:
            count = len(self._input_types)
            if count < len(names) or (count > len(names) and not spec.varargs):
                raise ValueError("The function has fewer arguments than the number of specified input types.")
            return DefinedFunction(func, names, self._input_types, **self._options)
        if not names and not spec.varargs:
            return DefinedFunction(func, [], [], **self._options)
        return OverloadedFunction(func, names, **self._options)


class DefinedFunction:
    """What `Defun` makes of a Python function whose argument types are known: call it with tensors.

    Args:
        func: the Python function, None for a function that came with a graph.
        argnames, input_types: its parameters; the other arguments are those of `Defun`.
    """

    def __init__(
        self,
        func: Callable[..., Any] | None,
        argnames: Sequence[str],
        input_types: Sequence[Any],
        func_name: str | None = None,
        grad_func: DefinedFunction | None = None,
        python_grad_func: Callable[..., Any] | None = None,
        out_names: Sequence[str] | None = None,
        shape_func: Callable[[Operation], Sequence[Any]] | None = None,
        capture_by_value: bool = False,
        whitelisted_stateful_ops: Any = None,
        capture_resource_var_by_value: bool = True,
        **kwargs: Any,
    ) -> None:
        self._func = func
        self._input_types = list(input_types)
        self._arg_names = [argnames[i] if i < len(argnames) else f"arg{i}" for i in range(len(input_types))]
        self._func_name = func_name
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = out_names
        self._shape_func = shape_func
        self._capture_by_value = capture_by_value
        self._copied = whitelisted_stateful_ops or ()
        self._read_variables_outside = capture_resource_var_by_value
        self._kwargs = kwargs
        self._traced: Function | None = None
        self._devices = [scope for scope in get_default_graph()._scopes.devices if scope is not None]

    # ---- what it is ----

    @property
    def function(self) -> Function:
        """The function of the library, traced at the first use."""
        if self._traced is None:
            self._traced = self._trace()
        return self._traced

    @property
    def name(self) -> str:
        """Its name in the graph."""
        return self.function.name

    @property
    def definition(self) -> Any:
        """Its definition as a `FunctionDef` message."""
        return function_def_of(self.function)

    @property
    def _signature(self) -> Any:
        return self.definition.signature

    def set_grad_func(self, grad_func: Any) -> None:
        """Sets the function that computes the gradient.

        Raises:
            AssertionError: if there is one already, or it was not made with `Defun`.
        """
        if self._grad_func or not isinstance(grad_func, DefinedFunction):
            raise AssertionError("set_grad_func takes a Defun function, for a function without grad_func.")
        self._grad_func = grad_func
        if self._traced is not None:
            self._traced.gradient = grad_func.function

    @property
    def grad_func_name(self) -> str | None:
        """The name of its gradient function, None if it has none."""
        return self._grad_func.name if self._grad_func else None

    @property
    def python_grad_func(self) -> Callable[..., Any] | None:
        """What builds its gradient, None if nothing was given."""
        return self._python_grad_func

    @property
    def declared_input_types(self) -> tuple[DType, ...]:
        """The types of its arguments, without what is captured."""
        return tuple(self._input_types)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """The outer tensors that its body uses."""
        return self.function.graph.external_captures

    @property
    def stateful_ops(self) -> list[tuple[str, str]]:
        """Name and type of each stateful operation of its body."""
        return [(op.name, op.type) for op in self.function.operations if op.decl.stateful]

    # ---- making and calling it ----

    def _trace(self) -> Function:
        func = self._func
        if func is None:
            raise ValueError("A function without a body cannot be traced.")
        base = self._func_name or getattr(func, "__name__", type(func).__name__).replace("<lambda>", "lambda")
        if not self._func_name and self._grad_func:
            base = f"{base}_{self._grad_func.name}"
        graph = FuncGraph(base, None, self._capture_by_value, self._copied)
        graph.seed = None
        graph.of_defun = True
        variables = outer_variables(graph, self._read_variables_outside)

        def traced(*tensors: Tensor) -> list[Tensor]:
            with variables:
                result = func(*tensors)
            values = list(result) if isinstance(result, (list, tuple)) else [] if result is None else [result]
            if any(value is None for value in values):
                raise ValueError(f"Function {base} can not return None.")
            return values

        parameters = [(t, None, n) for t, n in zip(self._input_types, self._arg_names, strict=True)]
        with contextlib.ExitStack() as scopes:
            for scope in self._devices:
                scopes.enter_context(graph.device(scope))
            trace(graph, traced, parameters)
        return Function(
            self._func_name,
            graph,
            base=base,
            out_names=self._out_names,
            gradient=self._grad_func.function if self._grad_func else None,
            python_gradient=self._python_grad_func,
            attrs=_attributes(base, self._kwargs),
            doc=func.__doc__,
        )

    def add_to_graph(self, g: Graph) -> None:
        """Puts the function into the library of `g`."""
        self.function.add_to_graph(g)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call to the default graph.

        Args:
            *args: the arguments.
            **kwargs: `name` of the operation and attributes such as `noinline`.

        Returns:
            a tensor, a tuple of tensors, or the operation if the function returns nothing.

        Raises:
            ValueError: if the number of arguments is wrong.
        """
        graph = get_default_graph()
        function = self.function
        self.add_to_graph(graph)
        inputs = [convert_to_tensor(value) for value in args] + self.captured_inputs
        name = kwargs.pop("name", None)
        op = call(graph, function, inputs, name, _attributes(function.name, kwargs))
        if self._shape_func is not None:
            shapes = list(self._shape_func(op))
            if len(shapes) != len(op.outputs):
                raise ValueError(f"shape_func produced {len(shapes)} shapes for {len(op.outputs)} outputs")
            for tensor, shape in zip(op.outputs, shapes, strict=True):
                tensor.set_shape(shape)
        return _returned(op)


class OverloadedFunction:
    """What `Defun` makes of a Python function without types: one function of the graph for each tuple of types."""

    def __init__(self, func: Callable[..., Any], argnames: Sequence[str], **options: Any) -> None:
        self._func = func
        self._argnames = argnames
        self._options = options
        self._overload: dict[str, DefinedFunction] = {}

    def instantiate(self, input_types: Sequence[Any]) -> DefinedFunction:
        """The function for arguments of `input_types`.

        Raises:
            ValueError: for a type that functions cannot take.
        """
        types = [as_dtype(t).base_dtype for t in input_types]
        if any(t.name not in _SHORT for t in types):
            raise ValueError(f"Unsupported dtypes: {types}")
        key = "".join(_SHORT[t.name] for t in types)
        defined = self._overload.get(key)
        if defined is None:
            options = dict(self._options)
            gradient = options.pop("grad_func", None)
            if options.get("func_name") is not None:
                options["func_name"] = f"{options['func_name']}_{key}"
            defined = DefinedFunction(self._func, self._argnames, types, **options)
            if gradient is not None:
                defined.set_grad_func(gradient.instantiate([*types, *defined.function.output_types]))
            self._overload[key] = defined
        return defined

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Adds a call of the function for the types of `args`."""
        tensors = [convert_to_tensor(value) for value in args]
        return self.instantiate([t.dtype for t in tensors])(*tensors, **kwargs)


def call(
    graph: Graph, function: Function, inputs: Sequence[Tensor], name: str | None, attrs: dict[str, Any]
) -> Operation:
    """Adds the operation that calls `function`.

    Raises:
        ValueError: if the number of inputs is wrong, or the type of one.
    """
    if len(inputs) != len(function.inputs):
        raise ValueError(f"Expected number of arguments: {len(function.inputs)}, received: {len(inputs)}")
    for given, parameter in zip(inputs, function.inputs, strict=True):
        if given.dtype.base_dtype is not parameter.dtype.base_dtype:
            passed, expected = given.dtype.base_dtype.name, parameter.dtype.base_dtype.name
            raise ValueError(f"Input '{parameter.op.name}' of {function.name} passed {passed} expected {expected}")
    return graph.create_op(function.name, list(inputs), name=name or function.name, attrs=attrs)


def _returned(op: Operation) -> Any:
    if not op.outputs:
        return op
    return op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)


def _attributes(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a definition or call that keyword arguments ask for.

    Raises:
        ValueError: for a keyword that is none.
    """
    given = dict(given)
    attrs: dict[str, Any] = {}
    noinline = given.pop("noinline", None)
    if noinline is not None:
        attrs["_noinline"] = bool(noinline)
    attrs["_disable_call_shape_inference"] = True
    compiled = given.pop("compiled", None)
    separate = given.pop("separate_compiled_gradients", None)
    if compiled is not None:
        attrs["_XlaCompile"] = bool(compiled)
        attrs["_XlaSeparateCompiledGradients"] = bool(separate)
        attrs["_XlaScope"] = get_default_graph()._scope_attrs.get("_XlaScope", f"function_{name}")
    for key in list(given):
        if key.startswith("experimental_"):
            attrs[key] = given.pop(key)
        elif key in ("_implements", "_reference"):
            value = given.pop(key)
            if not isinstance(value, str):
                raise ValueError(f"Unsupported attribute type for {key} with type {type(value)}")
            attrs[key] = value
    if given:
        raise ValueError(f"Unknown keyword arguments: {given.keys()}")
    return attrs


def _body() -> FuncGraph | None:
    graph = get_default_graph()
    return graph if isinstance(graph, FuncGraph) else None


def get_extra_vars() -> list[Any]:
    """The variables made so far by the function whose body is being traced; none outside of one."""
    body = _body()
    return body.extra_vars if body is not None else []


def get_extra_inputs() -> list[Tensor]:
    """The outer tensors used so far by the function whose body is being traced; none outside of one."""
    body = _body()
    return body.external_captures if body is not None else []


def get_extra_args() -> list[Tensor]:
    """What stands for `get_extra_inputs()` in the function whose body is being traced; none outside of one."""
    body = _body()
    return body.extra_args if body is not None else []
