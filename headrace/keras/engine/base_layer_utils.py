"""What layers and models ask about the call in progress, the graph and tensors: names of 1.15's module of this name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import nest, slots
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.keras.engine.op_layer import create_keras_history
from headrace.layers import context
from headrace.layers.additions import check_not_in_branch
from headrace.layers.context import in_symbolic_graph, in_traced_function, unique_object_name
from headrace.layers.creation import make_variable
from headrace.layers.engine import default
from headrace.layers.nodes import depends_on_history, has_history
from headrace.layers.policy import disable_v2_dtype_behavior, enable_v2_dtype_behavior, v2_dtype_behavior_enabled
from headrace.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headrace.core.typing import Nested
    from headrace.layers.engine import Layer

__all__ = [
    "call_context",
    "check_graph_consistency",
    "collect_previous_mask",
    "create_keras_history",
    "create_mean_metric",
    "default",
    "disable_v2_dtype_behavior",
    "enable_v2_dtype_behavior",
    "generate_placeholders_from_shape",
    "have_all_keras_metadata",
    "is_in_eager_or_tf_function",
    "is_in_keras_graph",
    "is_in_tf_function",
    "is_subclassed",
    "make_variable",
    "mark_checked",
    "needs_keras_history",
    "unique_object_name",
    "uses_keras_history",
    "v2_dtype_behavior_enabled",
]


def call_context() -> context.CallContext:
    """The call of a layer that is in progress in this thread."""
    return context.call_context


def create_mean_metric(value: Tensor, name: str | None = None) -> tuple[Any, Any]:
    """A metric that averages what it is given, and what it gives for `value`."""
    metric = slots.mean_metric(name=name, dtype=value.dtype)
    return metric, metric(value)


def generate_placeholders_from_shape(shape: Any) -> Tensor:
    """A placeholder of the default type and this shape."""
    return placeholder("float32", shape=shape)


def have_all_keras_metadata(tensors: Nested[Tensor]) -> bool:
    """Whether all tensors are known to come from layers."""
    return has_history(tensors)


def needs_keras_history(tensors: Nested[Tensor], ignore_call_context: bool = False) -> bool:
    """Whether tensors are computed from those of layers by operations that are no layers yet.

    Args:
        tensors: the tensors.
        ignore_call_context: whether to look while a layer is being called as well.
    """
    if context.call_context.in_call and not ignore_call_context:
        return False
    return not has_history(tensors) and uses_keras_history(tensors)


def uses_keras_history(tensors: Nested[Tensor]) -> bool:
    """Whether any of these tensors is computed from one that comes from a layer."""
    return depends_on_history(tensors)


def mark_checked(tensors: Nested[Tensor]) -> None:
    """Says of tensors that they are not computed from those of layers."""
    for tensor in nest.flatten(tensors):
        if isinstance(tensor, Tensor):
            tensor._keras_history_checked = True


def collect_previous_mask(input_tensors: Nested[Tensor]) -> Any:
    """The masks of tensors."""
    return nest.map_structure(lambda tensor: getattr(tensor, "_keras_mask", None), input_tensors)


def is_in_keras_graph() -> bool:
    """Whether operations are added to the graph that is kept for the symbolic tensors of eager execution."""
    return in_symbolic_graph()


def is_in_tf_function() -> bool:
    """Whether the body of a `tf.function` is being traced by a program that executes eagerly."""
    return in_traced_function()


def is_in_eager_or_tf_function() -> bool:
    """Whether operations run as they are made, or are those of a `tf.function`'s body."""
    return executing_eagerly() or in_traced_function()


def is_subclassed(layer: Layer) -> bool:
    """Whether the class of a layer is the program's own."""
    return not layer._is_library_class


def check_graph_consistency(tensor: Any = None, method: str = "add_loss", force_raise: bool = False) -> None:
    """Complains of what only a branch or loop of a layer's `call` computes, where it is to be known outside.

    Args:
        tensor: the tensor.
        method: what it was given to.
        force_raise: whether to complain in any case.

    Raises:
        RuntimeError: if it is so.
    """
    if force_raise:
        raise RuntimeError(f"You are using the method `{method}` in a control flow branch of your layer.")
    check_not_in_branch(tensor, method)
