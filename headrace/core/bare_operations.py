"""Operations made from a NodeDef, and stacks of defaults, as the tests and tools of 1.x make them by hand."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.apply import operation_from_parts
from headrace.core.graph import Graph
from headrace.core.graph_scopes import VALID_OP_NAME
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from tensorboard.compat.proto.node_def_pb2 import NodeDef

    from headrace.core.typing import DTypeLike


def _NodeDef(op_type: str, name: str, device: Any = None, attrs: dict[str, Any] | None = None) -> Any:
    """A NodeDef message.

    Args:
        op_type: the op's type.
        name: the node's name.
        device: its device, a string or a function of the message.
        attrs: attribute name to `AttrValue`.
    """
    node = slots.node_def_message(op=str(op_type), name=str(name))
    for key, value in (attrs or {}).items():
        node.attr[key].CopyFrom(value)
    if device:
        node.device = (device(node) if callable(device) else device) or ""
    return node


def operation_of(
    node_def: NodeDef,
    graph: Graph,
    inputs: Sequence[Tensor] | None = None,
    output_types: Sequence[Any] | None = None,
    control_inputs: Sequence[Any] | None = None,
    input_types: Sequence[Any] | None = None,
    original_op: Operation | None = None,
    op_def: Any = None,
) -> Operation:
    """Adds to `graph` the operation that a NodeDef describes.

    Args:
        node_def: type, name, device and attributes.
        graph: the graph.
        inputs: the input tensors, in the op's order.
        output_types: has no effect, as in 1.15: the op says what its outputs are.
        control_inputs: operations, or their tensors, to run before it.
        input_types, op_def: have no effect: the op says what its inputs are.
        original_op: the operation that it stands for in errors.

    Raises:
        TypeError: for a message of another kind, another graph or inputs that are no tensors.
        ValueError: if the name is invalid or the parts do not fit the op.
    """
    if not isinstance(graph, Graph):
        raise TypeError("g needs to be a Graph.")
    if not VALID_OP_NAME.match(node_def.name):
        raise ValueError(f"'{node_def.name}' is not a valid node name")
    for tensor in inputs or ():
        if not isinstance(tensor, Tensor):
            raise TypeError(f"input needs to be a Tensor: {tensor}")
    attrs = {name: slots.attr_from_proto(value) for name, value in node_def.attr.items()}
    controls = [item if isinstance(item, Operation) else item.op for item in control_inputs or ()]
    op = operation_from_parts(
        graph, node_def.op, list(inputs or ()), attrs, f"{node_def.name}/", control_inputs=controls
    )
    if node_def.device:
        op._set_device(node_def.device)
    if original_op is not None:
        op._original_op = original_op
    return op


def _operation_conversion_error(
    op: Operation, dtype: DTypeLike | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """Says that an operation is no tensor.

    Raises:
        TypeError: always.
    """
    raise TypeError(
        f"Can't convert Operation '{op.name}' to Tensor (target dtype={dtype!r}, name={name!r}, as_ref={as_ref!r})"
    )


class _DefaultStack(threading.local):
    """A stack of defaults for each thread.

    Example:
        >>> graphs = _DefaultStack()
        >>> with graphs.get_controller("mine"):
        ...     graphs.get_default()
        'mine'
    """

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[Any] = []
        self._enforce_nesting = True

    def get_default(self) -> Any:
        """The innermost default, or None."""
        return self.stack[-1] if self.stack else None

    def reset(self) -> None:
        """Forgets them all."""
        self.stack = []

    def is_cleared(self) -> bool:
        """Whether there is none."""
        return not self.stack

    @property
    def enforce_nesting(self) -> bool:
        """Whether defaults are left in the order opposite to that of entering them."""
        return self._enforce_nesting

    @enforce_nesting.setter
    def enforce_nesting(self, value: bool) -> None:
        self._enforce_nesting = value

    @contextlib.contextmanager
    def get_controller(self, default: Any) -> Iterator[Any]:
        """A context in which `default` is the default.

        Raises:
            AssertionError: if it is left while another one entered later is not.
        """
        self.stack.append(default)
        try:
            yield default
        finally:
            if self.stack:
                if self._enforce_nesting:
                    if self.stack[-1] is not default:
                        raise AssertionError(f"Nesting violated for default stack of {type(default)} objects")
                    self.stack.pop()
                elif default in self.stack:
                    self.stack.remove(default)
