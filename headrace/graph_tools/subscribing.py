"""Side effects put behind tensors of a finished graph: 1.x's `framework.subscribe`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies, device, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.state.variables import Variable
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


SideEffect = Callable[[Tensor], Iterable[Any]]


def _applied(tensors: Any, function: Callable[[Tensor], Tensor]) -> Any:
    """The same structure with `function` applied to its tensors.

    Raises:
        TypeError: if something in it is neither a tensor nor a variable nor a structure.
    """
    kind = type(tensors)
    if isinstance(tensors, Tensor):
        return function(tensors)
    if isinstance(tensors, Variable):
        return function(tensors.value())
    if isinstance(tensors, (list, tuple)):
        items = [_applied(item, function) for item in tensors]
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    if kind is dict:
        return {key: _applied(value, function) for key, value in tensors.items()}
    raise TypeError(
        f"subscribe: argument {tensors!r} has invalid type {kind!r}: it takes tensors and structures of them."
    )


@contextlib.contextmanager
def _where(op: Operation) -> Iterator[None]:
    """The device and the control flow context of an operation, for what is made about it."""
    context = op._get_control_flow_context()
    with device(op.device), contextlib.ExitStack() as stack:
        if context is not None:
            context.Enter()
            stack.callback(context.Exit)
        yield


def _is_copy(tensor: Tensor) -> bool:
    """Whether a tensor is what an earlier `subscribe` gave."""
    match = re.match(r"(?P<source>.*?)/subscription/Identity[^/]+", tensor.name)
    return bool(tensor.op.type == "Identity" and match and match["source"] == tensor.op.inputs[0].op.name)


_is_subscribed_identity = _is_copy


def _effects(source: Tensor, side_effects: Iterable[SideEffect]) -> list[Any]:
    return [made for effect in side_effects for made in effect(source)]


def _extended(copy: Tensor, side_effects: Iterable[SideEffect]) -> Tensor:
    source = copy.op.inputs[0]
    with name_scope(source.op.name + "/subscription/"):
        made = _effects(source, side_effects)
    copy.op._add_control_inputs([item.op if isinstance(item, Tensor) else item for item in made])
    return copy


def _copied(tensor: Tensor, side_effects: Iterable[SideEffect]) -> Tensor:
    """An identity of `tensor` that runs after the side effects and takes its place in the graph."""
    places = [(user, i) for user in tensor.consumers() for i, have in enumerate(user.inputs) if have is tensor]
    waiting = list(tensor.op._control_outputs)
    with name_scope(tensor.op.name + "/subscription/"), control_dependencies(_effects(tensor, side_effects)):
        copy: Tensor = raw.Identity(tensor, name="Identity")
    for user, index in dict.fromkeys(places):
        user._update_input(index, copy)
    for user in waiting:
        others = [op for op in user.control_inputs if op is not tensor.op]
        user._remove_all_control_inputs()
        user._add_control_inputs([*others, copy.op])
    return copy


def _subscribed(tensor: Tensor, side_effects: list[SideEffect]) -> Tensor:
    if not tensor.dtype.is_numpy_compatible:
        tf_logging.debug(f"Tensor {tensor.name} has an un-supported {tensor.dtype} type and cannot be subscribed.")
        return tensor
    with _where(tensor.op):
        if _is_copy(tensor):
            return _extended(tensor, side_effects)
        for user in tensor.consumers():
            if user.name.startswith(tensor.op.name + "/subscription/Identity") and _is_copy(user.outputs[0]):
                return _extended(user.outputs[0], side_effects)
        return _copied(tensor, side_effects)


def subscribe(tensors: TensorLike, side_effects: Callable[..., Any]) -> Tensor:
    """Makes operations run whenever tensors are computed, by putting copies in the tensors' place.

    Args:
        tensors: a tensor, a variable, or a list, tuple, namedtuple or dict of them.
        side_effects: a function, or a list of functions, from a tensor to a list of operations that run before what
            takes the tensor.

    Returns:
        The copies, in the structure of `tensors`. A tensor that has a copy already keeps it, with more side effects.

    Raises:
        TypeError: if `tensors` holds something else.

    Example:
        >>> doubled = tf.constant(2.0) * 2
        >>> doubled = subscribe(doubled, lambda t: [tf.print(t)])
    """
    effects = list(side_effects) if hasattr(side_effects, "__iter__") else [side_effects]
    return _applied(tensors, lambda tensor: _subscribed(tensor, effects))
