"""Functions of PyTorch tensors as operations: `interop.torch_func` puts them into the graph.

A graph holds the functions that its operations call; here they are only found by token, so that they go when it goes.
"""

from __future__ import annotations

import itertools
import secrets
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.cases import torch_lambda
from headrace.core.defaults import get_default_graph
from headrace.core.registry import op, raw

if TYPE_CHECKING:
    from headrace.core.graph import Graph


_WHY = "TensorFlow calls no functions of PyTorch"
_FORWARD = "input: *Tin, *, token: string, Tout: list(type) >= 1 -> output: *Tout"
torch_func_op = op("TorchFunc", _FORWARD, stateful=True).calls_python().own(_WHY)
torch_func_grad_op = (
    op(
        "TorchFuncGrad",
        "input: *Tin, grad: *Tout, *, token: string, differentiable: list(bool) -> output: *Tin",
        stateful=True,
    )
    .calls_python()
    .own(_WHY)
)


class _Callback:
    """A function that weak references can be made to, as built-in ones cannot."""

    __slots__ = ("__weakref__", "function")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function


_callbacks: weakref.WeakValueDictionary[str, _Callback] = weakref.WeakValueDictionary()
_numbers = itertools.count()
# A graph that a stranger wrote does not know this, and so cannot name a function of the program.
_secret = secrets.token_hex(16)


def registered(function: Callable[..., Any]) -> str:
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


_SQUARE, _TWO = torch_lambda("lambda x: x * x"), torch_lambda("lambda x, y: (x * y, x + y)")
torch_func_op.accepts([[2, 3]], token=_SQUARE, Tout=["float32"], gives=lambda x: x * x)
torch_func_op.accepts([[3], [3]], token=_TWO, Tout=["float32"] * 2, gives=lambda x, y: (x * y, x + y))
torch_func_op.rejects(
    [[3]], token=_SQUARE, Tout=["float32"] * 2, error=errors.InvalidArgumentError, match="1 values, 2"
)
torch_func_op.rejects([[3]], token=_SQUARE, Tout=["int32"], error=errors.InvalidArgumentError, match="value 0")
torch_func_grad_op.accepts([[3]], [[3]], token=_SQUARE, differentiable=[True], gives=lambda x, grad: 2 * x * grad)
torch_func_grad_op.accepts(
    *([[3], [3]], [[3], [3]]),
    token=_TWO,
    differentiable=[True, False],
    # The second input has no gradient, which is written as zeros.
    gives=lambda x, y, grad, other: (y * grad + other, np.zeros_like(y)),
)
