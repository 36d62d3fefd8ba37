"""PyTorch functions and modules as operations of the graph, with gradients, and with their parameters as variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch

from headrace.core.convert import convert_n_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import DType, as_dtype
from headrace.core.registry import raw
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.ops.flow.torch_func import registered
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


def torch_func(
    function: Callable[..., torch.Tensor | Sequence[torch.Tensor]] | torch.nn.Module,
    inputs: TensorLike | Sequence[TensorLike],
    Tout: DTypeLike | Sequence[DTypeLike] | None = None,
    shapes: ShapeLike | Sequence[ShapeLike] = None,
    name: str | None = None,
) -> Any:
    """Applies a differentiable PyTorch function or module to tensors of the graph.

    The parameters of a module become variables of the graph, with their present values as initial ones: `tf.train`
    trains them and `tf.train.Saver` keeps them. The module's buffers stay its own.

    Args:
        function: takes `torch.Tensor`s and returns one or a tuple of them; or a `torch.nn.Module`.
        inputs: a tensor or list of tensors.
        Tout: the type of the output, or a list with one for each output; the type of the first input by default.
        shapes: the static shape of the output, or a list with one for each where `Tout` is a list; unknown by default.
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
        outputs: list[Tensor] = list(raw.TorchFunc(tensors, token=registered(call), Tout=kinds, name=scope))
    if shapes is not None:
        of_outputs = cast("Sequence[ShapeLike]", shapes if isinstance(Tout, (list, tuple)) else [shapes])
        for output, shape in zip(outputs, of_outputs, strict=True):
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
