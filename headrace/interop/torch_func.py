"""PyTorch functions and modules as operations of the graph, with gradients, and with their parameters as variables."""

from __future__ import annotations

import itertools
import secrets
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.convert import convert_n_to_tensor
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.dtypes import DType, as_dtype
from headrace.core.registry import op, raw
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import DTypeLike, TensorLike


_FORWARD = "input: *Tin, *, token: string, Tout: list(type) >= 1 -> output: *Tout"
torch_func_op = op("TorchFunc", _FORWARD, stateful=True).calls_python()
torch_func_grad_op = op(
    "TorchFuncGrad",
    "input: *Tin, grad: *Tout, *, token: string, differentiable: list(bool) -> output: *Tin",
    stateful=True,
).calls_python()


class _Callback:
    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


_callbacks: weakref.WeakValueDictionary[str, _Callback] = weakref.WeakValueDictionary()
_numbers = itertools.count()
# A graph that a stranger wrote does not know this, and so cannot name a function of the program.
_secret = secrets.token_hex(16)


def _registered(function: Callable[..., Any]) -> str:
    """A name by which kernels find the function; it lives as long as the graph."""
    token = f"torch_func_{next(_numbers)}_{_secret}"
    callback = _callbacks[token] = _Callback(function)
    graph: Graph = get_default_graph()
    graph.__dict__.setdefault("_torch_funcs", []).append(callback)
    return token


def _found(token: str) -> Callable[..., Any]:
    callback = _callbacks.get(token)
    if callback is None:
        raise errors.InvalidArgumentError(
            None, None, f"The function {token} is not in this process: a torch_func cannot be loaded from a file."
        )
    return callback.function


def _as_tuple(result: Any) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)


@torch_func_op.kernel
def _torch_func_kernel(node):
    function = _found(node.attrs["token"])
    dtypes = [value.dtype.torch for value in node.outputs]
    name = node.name

    def call(*inputs):
        # What the function makes may go on living in modules, so it is made outside the inference mode of runs.
        with torch.inference_mode(False), torch.no_grad():
            results = _as_tuple(function(*[value.clone() for value in inputs]))
        return tuple(_checked(results, dtypes, name))

    return call


def _checked(results: tuple[Any, ...], dtypes: Sequence[Any], name: str) -> list[Any]:
    if len(results) != len(dtypes):
        raise errors.InvalidArgumentError(
            None, None, f"'{name}': the function returned {len(results)} values, {len(dtypes)} are declared (Tout)."
        )
    for i, (result, dtype) in enumerate(zip(results, dtypes, strict=True)):
        if not isinstance(result, torch.Tensor) or result.dtype != dtype:
            found = result.dtype if isinstance(result, torch.Tensor) else type(result).__name__
            raise errors.InvalidArgumentError(
                None, None, f"'{name}': value {i} of the function is {found}, {dtype} is declared (Tout)."
            )
    return [result.detach() for result in results]


@torch_func_grad_op.kernel
def _torch_func_grad_kernel(node):
    function = _found(node.attrs["token"])
    differentiable = node.attrs["differentiable"]
    count = len(differentiable)

    def call(*values):
        inputs, grads = values[:count], values[count:]
        with torch.inference_mode(False), torch.enable_grad():
            leaves = [
                value.clone().requires_grad_(needs_grad)
                for value, needs_grad in zip(inputs, differentiable, strict=True)
            ]
            results = _as_tuple(function(*leaves))
            pairs = [
                (result, grad.clone()) for result, grad in zip(results, grads, strict=True) if result.requires_grad
            ]
            asked = [leaf for leaf in leaves if leaf.requires_grad]
            found: list[Any] = [None] * len(asked)
            if pairs and asked:
                found = list(
                    torch.autograd.grad([r for r, _ in pairs], asked, [g for _, g in pairs], allow_unused=True)
                )
        given = iter(found)
        made = [next(given) if leaf.requires_grad else None for leaf in leaves]
        return tuple(
            torch.zeros_like(value) if grad is None else grad for value, grad in zip(inputs, made, strict=True)
        )

    return call


@torch_func_op.gradient
def _torch_func_gradient(op, *grads):
    differentiable = [tensor.dtype.is_floating or tensor.dtype.is_complex for tensor in op.inputs]
    grads = [raw.ZerosLike(output) if grad is None else grad for output, grad in zip(op.outputs, grads)]
    made = raw.TorchFuncGrad(list(op.inputs), grads, token=op.attrs["token"], differentiable=differentiable)
    return [grad if needs_grad else None for grad, needs_grad in zip(made, differentiable)]


torch_func_grad_op.shape(lambda op: [tensor.dims for tensor in op.inputs[: len(op.outputs)]])
torch_func_grad_op.not_differentiable()


def torch_func(
    function: Any,
    inputs: TensorLike,
    Tout: Sequence[DTypeLike] | None = None,
    shapes: Sequence[int | None] | None = None,
    name: str | None = None,
) -> Any:
    """Applies a differentiable PyTorch function or module to tensors of the graph.

    The parameters of a module become variables of the graph, with their present values as initial ones: `tf.train`
    trains them and `tf.train.Saver` keeps them. The module's buffers stay its own.

    Args:
        function: takes `torch.Tensor`s and returns one or a tuple of them; or a `torch.nn.Module`.
        inputs: a tensor or list of tensors.
        Tout: the type of the output, or a list with one for each output; the type of the first input by default.
        shapes: the static shape of the output, or a list of shapes; unknown by default.
        name: the scope of the operation and of a module's variables; the function's name by default.

    Returns:
        a tensor, or a list of tensors where `Tout` is a list.

    Raises:
        TypeError: if `function` is not callable.

    Example:
        >>> y = headrace.torch_func(torch.nn.Linear(4, 2), x)
        >>> train = tf.train.AdamOptimizer().minimize(tf.reduce_mean(y ** 2))
    """
    if not callable(function):
        raise TypeError(f"torch_func needs a function or torch.nn.Module, got {type(function).__name__}")
    label = name or _name_of(function)
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    tensors = convert_n_to_tensor(values, name="input")
    call = function
    if isinstance(function, torch.nn.Module):
        variables, call = _with_variables(function, label, len(tensors))
        tensors += convert_n_to_tensor(variables)
    kinds: list[DType] = [
        as_dtype(kind)
        for kind in (
            Tout if isinstance(Tout, (list, tuple)) else [tensors[0].dtype.base_dtype if Tout is None else Tout]
        )
    ]
    with name_scope(name, label, tensors) as scope:
        outputs: list[Tensor] = list(raw.TorchFunc(tensors, token=_registered(call), Tout=kinds, name=scope))
    if shapes is not None:
        several = isinstance(Tout, (list, tuple))
        for output, shape in zip(outputs, shapes if several else [shapes], strict=True):
            output.set_shape(as_dims(shape))
    return outputs if isinstance(Tout, (list, tuple)) else outputs[0]


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "torch_func" if not name.isidentifier() else name


def _with_variables(module: torch.nn.Module, scope: str, count: int) -> tuple[list[Any], Callable[..., Any]]:
    """Variables for a module's parameters, and the module as a function of its inputs and their values."""
    names, variables = [], []
    with variable_scope(None, default_name=scope):
        for path, parameter in module.named_parameters():
            value: np.ndarray = parameter.detach().cpu().numpy().copy()
            names.append(path)
            variables.append(get_variable(path.replace(".", "/"), initializer=value, trainable=parameter.requires_grad))

    def call(*values: Any) -> torch.Tensor:
        parameters = dict(zip(names, values[count:], strict=True))
        return torch.func.functional_call(module, parameters, tuple(values[:count]))

    return variables, call
