"""Python functions as operations.

A graph holds the functions its operations call; here they are only found by token, so that they go when it goes.
"""

from __future__ import annotations

import contextlib
import itertools
import traceback
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors, nest, shutdown, slots
from headrace.core.cases import python_lambda
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.dtypes import DType, as_dtype, string
from headrace.core.eager import eager_graph, executing_eagerly
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import to_array, to_tensor

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, FloatLike, TensorLike


class _Callback:
    """A function that operations call; unlike the function itself it can always be referred to weakly."""

    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable[..., Any] | _EagerFunction | type) -> None:
        self.function = function


_callbacks: weakref.WeakValueDictionary[str, _Callback] = weakref.WeakValueDictionary()
_numbers = itertools.count()

# Exceptions of the function to the errors of the run, more particular ones first.
_ERRORS: tuple[tuple[tuple[type[BaseException], ...], Any], ...] = (
    ((NotImplementedError,), errors.UnimplementedError),
    ((ValueError, TypeError), errors.InvalidArgumentError),
    ((StopIteration,), errors.OutOfRangeError),
    ((MemoryError,), errors.ResourceExhaustedError),
)


def _declare(op_type: str, stateful: bool) -> OpDecl:
    decl = op(op_type, "input: *Tin, *, token: string, Tout: list(type) >= 0 -> output: *Tout", stateful=stateful)
    decl.on_host("input", outputs=True)

    @decl.shape
    def py_func_shape(op):
        return [None] * len(op.outputs)

    @decl.kernel
    def py_func_kernel(node):
        token = node.attrs["token"]
        dtypes = [value.dtype.base_dtype for value in node.outputs]
        # What most functions take and return goes without a look at what it might be.
        arguments = [_plain_argument if _is_plain(value.dtype) else _argument for value in node.inputs]
        plain = np.dtype(dtypes[0].as_numpy_dtype) if len(dtypes) == 1 and _is_plain(dtypes[0]) else None
        callback = _callbacks.get(token)

        def call(*values):
            if callback is None:
                raise errors.InvalidArgumentError(None, None, f"ValueError: callback {token} is not found")
            try:
                returned = callback.function(
                    *[argument(value) for argument, value in zip(arguments, values, strict=True)]
                )
                if shutdown.in_progress:
                    shutdown.park_thread()
                if plain is not None and returned.__class__ is np.ndarray and returned.dtype is plain:
                    # What the function keeps must not change under the run.
                    return (torch.from_numpy(returned.copy()),)
                results = _results(returned)
            except Exception as error:
                raise translated(error) from error
            if len(results) != len(dtypes):
                raise errors.InvalidArgumentError(
                    None, None, f"{token} returns {len(results)} values, but expects to see {len(dtypes)} values."
                )
            return tuple(_value(i, result, dtype, token) for i, (result, dtype) in enumerate(zip(results, dtypes)))

        return call

    return decl.calls_python().not_differentiable()


for _decl in (_declare("PyFunc", True), _declare("PyFuncStateless", False)):
    _decl.accepts([[3], np.int32(2)], token=python_lambda("lambda x, n: (x[:n] * 2, n)"), Tout=["float32", "int32"])
    _decl.accepts([[2]], token=python_lambda("lambda x: (x.sum(), b'sum')"), Tout=["float32", "string"])
    _decl.accepts([], token=python_lambda("lambda: None"), Tout=[])
    _decl.rejects([[2]], token=python_lambda("lambda x: x"), Tout=["int32"], error=errors.InvalidArgumentError)
    _decl.rejects([], token="nobody", Tout=["int32"], error=errors.InvalidArgumentError)


def _is_plain(dtype: DType) -> bool:
    """Whether NumPy and torch hold values of the type alike."""
    return dtype.torch is not None and np.dtype(dtype.as_numpy_dtype).kind in "fiub" and dtype.name != "bfloat16"


def _plain_argument(value: torch.Tensor) -> Any:
    array = value.numpy() if value.device.type == "cpu" else value.cpu().numpy()
    return array.copy() if array.ndim else array[()]


def _argument(value: np.ndarray | torch.Tensor) -> bytes | np.ndarray:
    """What the function gets: a NumPy array of its own that it may write to, a scalar as NumPy's, a string as bytes."""
    array = to_array(value)
    return array.copy() if array.ndim else array[()]


def _results(returned: object) -> list[np.ndarray]:
    if returned is None:
        return []
    if isinstance(returned, (tuple, list)):
        return [_array(item) for item in returned]
    return [_array(returned)]


def _array(value: object) -> np.ndarray:
    if isinstance(value, (bytes, str)):
        array = np.empty((), object)
        array[()] = value
        return array
    # What the function keeps must not change under the run.
    array = np.array(value, order="C", copy=True)
    if array.dtype.kind == "S":
        return array.astype(object)
    if array.dtype.kind == "U":
        return np.char.encode(array, "utf-8").astype(object)
    if array.dtype.kind == "V" and array.dtype.name != "bfloat16":
        raise TypeError(f"py_func cannot return an array of type {array.dtype}")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _value(index: int, array: np.ndarray, expected: DType, token: str) -> np.ndarray | torch.Tensor:
    """A result as the value of an output, of just the type that was promised."""
    if array.dtype.kind == "O":
        flat = array.reshape(-1)
        for i, item in enumerate(flat.tolist()):
            if isinstance(item, str):
                flat[i] = item.encode()
            elif not isinstance(item, bytes):
                raise errors.InternalError(None, None, f"Unsupported object type {type(item).__name__}")
        found = string
    else:
        found = as_dtype(array.dtype)
    if found is not expected:
        message = f"{index}-th value returned by {token} is {_c_name(found)}, but expects {_c_name(expected)}"
        raise errors.InvalidArgumentError(None, None, message)
    return array if found is string else to_tensor(array)


def _c_name(dtype: DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def translated(error: Exception) -> errors.OpError:
    """The error of the run for an exception of the function, with the function's traceback in its message."""
    kind = next((made for kinds, made in _ERRORS if isinstance(error, kinds)), errors.UnknownError)
    # The first frame is this module's.
    trace = error.__traceback__.tb_next if error.__traceback__ is not None else None
    lines = "\n" + "".join(traceback.format_exception(type(error), error, trace)) if trace is not None else ""
    return kind(None, None, f"{type(error).__name__}: {error}{lines}")


def _registered(function: Callable[..., Any] | _EagerFunction | type) -> str:
    token = f"pyfunc_{next(_numbers)}"
    callback = _Callback(function)
    graph = get_default_graph()
    while getattr(graph, "_outer_graph", None) is not None:
        graph = graph._outer_graph  # type: ignore[attr-defined]  # only graphs of functions have one: it has been asked
    held = getattr(graph, "_py_funcs_used_in_graph", None)
    if held is None:
        held = graph._py_funcs_used_in_graph = []  # type: ignore[attr-defined]  # the graph keeps them alive, under 1.x's name
    held.append(callback)
    _callbacks[token] = callback
    return token


def py_func(
    func: Callable[..., Any],
    inp: Any,
    Tout: DTypeLike | Sequence[DTypeLike],
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """A Python function as an operation.

    While executing eagerly `func` is simply called: what it raises is not translated, what it returns becomes tensors of
    their own types, and a list of one tensor becomes that tensor.

    Args:
        func: takes a NumPy array (or NumPy scalar, or bytes) for each input and returns an array for each output, or a
            list of them. What it returns must be just of the types in `Tout`: a Python float is a float64.
        inp: a list of tensors.
        Tout: the types of the outputs: a list, or one type.
        stateful: False if equal inputs always give equal outputs, so that calls may be left out.
        name: a name for the operation.

    Returns:
        a list of tensors, or one tensor where `Tout` is one type; the operation where it is an empty list. The shapes are
        unknown: see `Tensor.set_shape`.

    Raises:
        ValueError: if `func` is not callable.

    Example:
        >>> def my_func(x):
        ...     return np.sinh(x)
        >>> y = tf.py_func(my_func, [tf.constant([1.0, 2.0])], tf.float32)
    """
    if not callable(func):
        # Eagerly it is the call that fails.
        kind = TypeError if executing_eagerly() else ValueError
        raise kind(f"Expected func to be callable, got func of type {type(func)}")
    if executing_eagerly():
        values = [convert_to_tensor(value).numpy() for value in inp]  # type: ignore[attr-defined]  # eagerly tensors have values
        # The function may change what it is given.
        given = [value.copy() if isinstance(value, np.ndarray) else value for value in values]
        returned = [None if item is None else convert_to_tensor(item) for item in nest.flatten(func(*given))]
        return returned[0] if len(returned) == 1 else returned
    decl = raw.PyFunc if stateful else raw.PyFuncStateless
    types = list(Tout) if isinstance(Tout, (list, tuple)) else [Tout]
    result = decl(inp, token=_registered(func), Tout=types, name=name)
    if not types:
        return get_default_graph().get_operations()[-1]
    return result if isinstance(Tout, (list, tuple)) else result[0]


def numpy_function(
    func: Callable[..., Any], inp: Sequence[FloatLike], Tout: DTypeLike, name: str | None = None
) -> Tensor:
    """`py_func` with state, under its later name."""
    return py_func(func, inp, Tout, stateful=True, name=name)


def py_function(func: Callable[..., Any], inp: Sequence[TensorLike], Tout: DTypeLike, name: str | None = None) -> Any:
    """A Python function as an operation, run eagerly, through which gradients flow.

    Args:
        func: takes an eager tensor for each input and returns what converts to tensors: one, a list, or None for none.
        inp: a list of tensors or variables.
        Tout: the types of the outputs: a list, or one type; an empty list for no outputs.
        name: a name for the operation.

    Returns:
        a list of tensors, or one tensor where `Tout` is one type; the operation where it is an empty list. While executing
        eagerly the function is called at once.

    Raises:
        ValueError: if `func` is not callable.
        OpError: of the kind that stands for what `func` raises, in the step or, while executing eagerly, at once.

    Example:
        >>> def log_huber(x, m):
        ...     return x**2 if tf.abs(x) <= m else m**2 * (1 - 2 * tf.log(m) + tf.log(x**2))
        >>> y = tf.py_function(log_huber, inp=[x, 2.0], Tout=tf.float32)
        >>> dy_dx = tf.gradients(y, x)[0]
    """
    if not callable(func):
        raise ValueError(f"Expected func to be callable, got func of type {type(func)}")
    types = [as_dtype(t) for t in Tout] if isinstance(Tout, (list, tuple)) else [as_dtype(Tout)]
    alone = not isinstance(Tout, (list, tuple))
    if executing_eagerly():
        given = [convert_to_tensor(value) for value in inp]
        try:
            results = _eager_results(func(*given), types)
        except Exception as error:
            raise translated(error) from error
        return results[0] if alone else results
    function = _EagerFunction(func, types)
    made = raw.EagerPyFunc(inp, token=_registered(function), Tout=types, name=name)
    if not types:
        return get_default_graph().get_operations()[-1]
    return made[0] if alone else made


eager_py_func_op = op(
    "EagerPyFunc",
    "input: *Tin, *, token: string, Tout: list(type) >= 0, is_async=False -> output: *Tout",
    stateful=True,
)
eager_py_func_op.on_host("input", outputs=True).calls_python()


@eager_py_func_op.shape
def eager_py_func_shape(op):
    return [None] * len(op.outputs)


@eager_py_func_op.kernel
def eager_py_func_kernel(node):
    token = node.attrs["token"]
    callback = _callbacks.get(token)
    types = [value.dtype.base_dtype for value in node.inputs]

    def call(*values):
        if callback is None:
            raise errors.InvalidArgumentError(None, None, f"ValueError: callback {token} is not found")
        try:
            return callback.function.run(values, types)
        except Exception as error:
            raise translated(error) from error

    return call


@eager_py_func_op.gradient
def eager_py_func_gradient(op, *gradients):
    token = op.attrs["token"]
    callback = _callbacks.get(token)
    if callback is None:
        raise LookupError(f"The Python function {token} of {op.name} is gone: it has no gradient any more.")
    function = callback.function
    if not any(tensor.dtype.is_floating or tensor.dtype.is_complex for tensor in op.inputs):
        return [None] * len(op.inputs)
    dtypes = [tensor.dtype.base_dtype for tensor in op.inputs]
    backward = _GradientFunction(function, dtypes)
    # The function has run when its gradient is taken.
    with control_dependencies(list(op.outputs)):
        made = raw.EagerPyFunc(list(gradients), token=_registered(backward), Tout=dtypes)
    return [g if t.dtype.is_floating or t.dtype.is_complex else None for g, t in zip(made, op.inputs, strict=True)]


_product = python_lambda("lambda x, y: (x * y, -x)", "float32", "float32")
eager_py_func_op.accepts([[2], [2]], token=_product, Tout=["float32"] * 2)
eager_py_func_op.accepts([b"a"], token=python_lambda("lambda text: text", "string"), Tout=["string"])
eager_py_func_op.rejects([[2], [2]], token=_product, Tout=["float32"], error=errors.InvalidArgumentError)


def _eager_results(returned: TensorLike, types: list[DType]) -> list[Tensor]:
    results = [] if returned is None else list(returned) if isinstance(returned, (list, tuple)) else [returned]
    if isinstance(returned, (list, tuple)):
        del results[len(types) :]  # further ones are of no output
    if len(results) != len(types):
        raise ValueError(f"The Python function returns {len(results)} values, but expects to see {len(types)} values.")
    return [convert_to_tensor(value, dtype=dtype) for value, dtype in zip(results, types, strict=True)]


class _EagerFunction:
    """A function that runs eagerly, recorded so that it can be differentiated.

    Attributes:
        recorded: the tape, inputs and outputs of calls whose gradient has not been asked for, the latest last.
    """

    # Runs whose gradient nobody takes are forgotten.
    _MAX_RECORDED = 64

    def __init__(self, function: Callable[..., Any], types: list[DType]) -> None:
        self.function = function
        self.types = types
        self.is_differentiated = False
        self.recorded: list[tuple[Any, list[Tensor], list[Tensor]]] = []

    def run(self, values: Sequence[torch.Tensor], input_types: list[DType]) -> tuple[Any, ...]:
        graph = eager_graph()
        with graph.as_default(), _outside_inference():
            inputs = [graph.tensor_of(_own(value), dtype) for value, dtype in zip(values, input_types, strict=True)]
            if not self.is_differentiated:
                outputs = _eager_results(self.function(*inputs), self.types)
            else:
                tape = slots.new_tape()
                for tensor in inputs:
                    tape.watch(tensor)
                slots.start_tape(tape)
                try:
                    outputs = _eager_results(self.function(*inputs), self.types)
                finally:
                    slots.stop_tape(tape)
                self.recorded.append((tape, inputs, outputs))
                del self.recorded[: -self._MAX_RECORDED]
        return tuple(tensor._value for tensor in outputs)  # type: ignore[attr-defined]  # eagerly tensors have values


class _GradientFunction:
    """The gradient of an `_EagerFunction`: of its latest call."""

    def __init__(self, forward: _EagerFunction, types: list[DType]) -> None:
        self.forward = forward
        self.types = types
        forward.is_differentiated = True

    def run(self, values: Any, input_types: list[DType]) -> tuple[Any, ...]:
        if not self.forward.recorded:
            raise errors.InternalError(None, None, "The gradient of a Python function was asked for before it has run.")
        tape, inputs, outputs = self.forward.recorded.pop()
        graph = eager_graph()
        with graph.as_default():
            starts = [graph.tensor_of(value, dtype) for value, dtype in zip(values, input_types, strict=True)]
            made = tape.gradient(outputs, inputs, starts, False)
            results = []
            for gradient, tensor in zip(made, inputs, strict=True):
                given: Any = raw.ZerosLike(tensor) if gradient is None else convert_to_tensor(gradient)
                results.append(given._value)
        return tuple(results)


def _own(value: torch.Tensor) -> torch.Tensor:
    """A value that the function may keep: memory of the plan is used again."""
    return value.clone() if isinstance(value, torch.Tensor) else value


@contextlib.contextmanager
def _outside_inference() -> Iterator[None]:
    """The function may call torch itself."""
    guard = torch._C._InferenceMode(False)
    try:
        yield
    finally:
        del guard
