"""Layers one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def _name_of(layer: Callable[..., Any], otherwise: str) -> str:
    # A `functools.partial` has the name of its function.
    name = getattr(layer, "__name__", None) or getattr(getattr(layer, "func", None), "__name__", None)
    return otherwise if name is None else name


def repeat(inputs: TensorLike, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Tensor:
    """Applies the same layer several times, each time with variables of its own.

    Args:
        inputs: a tensor.
        repetitions: how often.
        layer: a function such as `conv2d`; its scopes are numbered from 1.
        *args, **kwargs: its arguments; `scope` names the variable scope around.

    Example:
        >>> net = slim.repeat(images, 3, slim.conv2d, 256, [3, 3], scope="conv3")
    """
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = convert_to_tensor(inputs)
        name = _name_of(layer, "repeat") if scope is None else scope
        for i in range(repetitions):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{name}_{i + 1}"})
        return outputs


def stack(inputs: TensorLike, layer: Callable[..., Any], stack_args: int | Sequence[int], **kwargs: Any) -> Any:
    """Applies a layer several times with other arguments each time.

    Args:
        inputs: a tensor.
        layer: a function such as `fully_connected`; its scopes are numbered from 1.
        stack_args: a list with the positional arguments, or the only one, of each time.
        **kwargs: arguments for all of them; `scope` names the variable scope around.

    Raises:
        ValueError: if `stack_args` is no list.

    Example:
        >>> net = slim.stack(x, slim.fully_connected, [32, 64, 128], scope="fc")
    """
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        outputs = convert_to_tensor(inputs)
        name = _name_of(layer, "stack") if scope is None else scope
        for i, own in enumerate(stack_args):
            args = own if isinstance(own, (list, tuple)) else [own]
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{name}_{i + 1}"})
        return outputs
