"""What the passes work on: nodes and values of one plan, copied from the graph so that rewriting leaves it alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import DType
from headrace.core.registry import OpDecl, find
from headrace.core.shapes import Dims

if TYPE_CHECKING:
    import numpy as np
    import torch

    from headrace.core.operation import Operation

UNBOUND: Any = object()


class Value:
    """One output of a node.

    Attributes:
        bound: the Python object it always is (a constant, a variable's buffer), or UNBOUND when a kernel computes it.
        constant: its value as a NumPy array where it is known while planning, else None.
    """

    __slots__ = ("bound", "constant", "dims", "dtype", "index", "node")

    def __init__(self, node: Node, index: int, dtype: DType, dims: Dims) -> None:
        self.node = node
        self.index = index
        self.dtype = dtype
        self.dims = dims
        self.bound: Any = UNBOUND
        self.constant: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"{self.node.name}:{self.index}"


class Node:
    """An op of the plan. Kernel rules see it: `attrs`, `inputs[i].dims`, `constant(i)`, `device`, `runtime`.

    Attributes:
        origin: the operation of the graph it stands for, which errors and listings name.
        control: nodes that must run before it, besides those that make its inputs.
        guard: the branches it lies in, outermost first, as (predicate, taken) pairs.
        heavy: whether it is large enough for several threads, and for kernels that take their time to begin.
    """

    __slots__ = (
        "attrs",
        "control",
        "decl",
        "device",
        "guard",
        "heavy",
        "inputs",
        "name",
        "origin",
        "outputs",
        "runtime",
        "serial",
    )

    def __init__(
        self,
        decl: OpDecl,
        name: str,
        inputs: list[Value],
        attrs: dict[str, Any],
        origin: Operation | None,
        runtime: Any,
        device: torch.device,
    ) -> None:
        self.decl = decl
        self.name = name
        self.inputs = inputs
        self.attrs = attrs
        self.origin = origin
        self.runtime = runtime
        self.device = device
        self.outputs: list[Value] = []
        self.control: list[Node] = []
        self.guard: tuple[tuple[Value, bool], ...] = ()
        self.serial = 0
        self.heavy = False

    @property
    def type(self) -> str:
        """The op type."""
        return self.decl.type

    def constant(self, index: int) -> np.ndarray | None:
        """The value of input `index` if it is known while planning."""
        return self.inputs[index].constant

    def constant_dims(self, index: int) -> Dims:
        """The value of input `index`, an integer vector, as dims."""
        value = self.inputs[index].constant
        return None if value is None else tuple(int(v) for v in value.ravel())

    def kernel(self) -> Callable[..., Any]:
        """What runs every step: takes the inputs, returns the output or a tuple of outputs."""
        rule = self.decl.kernel_rule
        if rule is None:
            raise NotImplementedError(
                f"Headrace has no kernel for op {self.type} (node '{self.name}'): it can be built and exported, not run."
            )
        return rule(self)

    def __repr__(self) -> str:
        return f"<{self.type} {self.name}>"


def new_node(
    op_type: str,
    like: Node,
    inputs: list[Value],
    output_types: Sequence[tuple[DType, Dims]],
    attrs: dict[str, Any] | None = None,
) -> Node:
    """A node that a rewrite puts in the place of `like`: it takes over its origin, guard, device and control edges."""
    decl = find(op_type)
    if decl is None:
        raise LookupError(f"A rewrite asks for the undeclared op {op_type}.")
    node = Node(decl, like.name, inputs, attrs or {}, like.origin, like.runtime, like.device)
    node.outputs = [Value(node, i, dtype, dims) for i, (dtype, dims) in enumerate(output_types)]
    node.control = list(like.control)
    node.guard = like.guard
    node.serial = like.serial
    return node
