"""What the passes work on: nodes and values of one plan, copied from the graph so that rewriting leaves it alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.buffers import VariableBuffer, written
from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.errors import InvalidArgumentError, OpError
from headrace.core.registry import OpDecl, find
from headrace.plan.failures import as_op_error
from headrace.plan.late_shapes import checked_late, needs_late_check

if TYPE_CHECKING:
    import numpy as np
    import torch

    from headrace.core.operation import Operation
    from headrace.core.typing import Kernel, Runtime

UNBOUND: Any = object()

# Ops of plans only: a value that is fed, a reference where its value is wanted, a loop, what stands in a loop for a value
# that goes around or comes from outside, and nodes that the native runner computes in one call.
FEED, READ_REFERENCE, LOOP, LOOP_VALUE = "_Feed", "_ReadRef", "_While", "_LoopValue"
NATIVE_REGION = "_NativeRegion"
# The sum of two values that broadcast, as programs of either age write it. Fusions are chosen by the types of ops, so it
# is a set of those and no word of the declarations.
ADDITIONS = frozenset({"Add", "AddV2"})
# Branches and loops of functions.
BRANCHES_OF_FUNCTIONS = frozenset({"If", "StatelessIf"})
LOOPS_OF_FUNCTIONS = frozenset({"While", "StatelessWhile"})
# What the members of a group run together.
COLLECTIVES = frozenset(
    {"CollectiveReduce", "CollectiveGather", "CollectiveBcastSend", "CollectiveBcastRecv", "NcclAllReduce"}
)


# A device of this type stands for another task of the cluster; its index is that of the task.
REMOTE = "meta"


class Value:
    """One output of a node.

    Attributes:
        bound: the Python object it always is (a constant, a variable's buffer), or UNBOUND when a kernel computes it.
        constant: its value as a NumPy array where it is known while planning, else None.
        scalar: whether the plan holds it as a NumPy scalar.
    """

    __slots__ = ("bound", "constant", "dims", "dtype", "index", "node", "scalar")

    def __init__(self, node: Node, index: int, dtype: DType, dims: Dims) -> None:
        self.node = node
        self.index = index
        self.dtype = dtype
        self.dims = dims
        self.bound: Any = UNBOUND
        self.constant: np.ndarray | None = None
        self.scalar = False

    def is_given(self) -> bool:
        """Whether nothing has to run for it: a constant, a variable, what is fed or what a loop is given."""
        if self.bound is not UNBOUND:
            # A constant that waits for something makes its consumers wait too.
            return not self.node.control
        return self.node.type in (FEED, LOOP_VALUE)

    def __repr__(self) -> str:
        return f"{self.node.name}:{self.index}"


class Node:
    """An op of the plan. Kernel rules see it: `attrs`, `inputs[i].dims`, `constant(i)`, `device`, `runtime`.

    Attributes:
        origin: the operation of the graph it stands for, which errors and listings name.
        members: of updates that are done in one call, the names of all of them.
        control: nodes that must run before it, besides those that make its inputs.
        guard: the branches it lies in, outermost first, as (predicate, taken) pairs.
        heavy: whether it is large enough for several threads, and for kernels that take their time to begin.
        region: of a loop, what it runs in each iteration.
        early: inside a loop, whether it runs before the loop's condition is asked.
        notes: what one pass leaves for later ones and for the kernel. Attributes are the graph's, which may come from a
            file: nothing that the planner relies on is read from there.
        stands_for: of an Exit, the loop that took its place.
        template: the expression that computes it from NumPy scalars, None where a kernel does.
    """

    __slots__ = (
        "attrs",
        "control",
        "decl",
        "device",
        "early",
        "guard",
        "heavy",
        "inputs",
        "members",
        "name",
        "notes",
        "origin",
        "outputs",
        "region",
        "runtime",
        "serial",
        "stands_for",
        "template",
    )

    def __init__(
        self,
        decl: OpDecl,
        name: str,
        inputs: list[Value],
        attrs: dict[str, Any],
        origin: Operation | None,
        runtime: Runtime | None,
        device: torch.device,
    ) -> None:
        self.decl = decl
        self.name = name
        self.inputs = inputs
        self.attrs = attrs
        self.origin = origin
        self.runtime: Runtime = runtime  # type: ignore[assignment]  # without a session none is asked for
        self.device = device
        self.outputs: list[Value] = []
        self.notes: dict[str, Any] = {}
        self.control: list[Node] = []
        self.guard: tuple[tuple[Value, bool], ...] = ()
        self.serial = 0
        self.heavy = False
        self.region: Region | None = None
        self.early = False
        self.members: tuple[str, ...] = ()
        self.stands_for: Node | None = None
        self.template: str | None = None

    @property
    def type(self) -> str:
        """The op type."""
        return self.decl.type

    def constant(self, index: int) -> np.ndarray | None:
        """The value of input `index` if it is known while planning."""
        return self.inputs[index].constant

    def constant_dims(self, index: int, *, captured: bool = False) -> Dims:
        """The value of input `index`, an integer vector, as dims."""
        value = self.inputs[index].constant
        return None if value is None else tuple(int(v) for v in value.ravel())

    def kernel(self) -> Kernel:
        """What runs every step: takes the inputs, returns the output or a tuple of outputs.

        Raises:
            NotImplementedError: if there is none.
            OpError: if the rule refuses the attributes, or meets what it does not expect in them.
        """
        rule = self.decl.kernel_rule_on(self.device.type)
        if rule is None:
            raise NotImplementedError(
                f"Headrace has no kernel for op {self.type} (node '{self.name}'): it can be built and exported, not run."
            )
        try:
            made = rule(self)
        except OpError as error:
            if self.origin is not None:
                error.attach(self.origin)
            raise
        except (NotImplementedError, RecursionError):
            # How deep it goes is told by whoever counts the levels.
            raise
        except Exception as error:
            raise as_op_error(error, self) from error
        if made is None:
            return made
        if self.decl.named_scalars:
            made = _refusing_arrays(made, self.decl.named_scalars)
        if self.decl.writes_state:
            return _noting_writes(made, self.inputs)
        return checked_late(made, self) if needs_late_check(self) else made

    def __repr__(self) -> str:
        return f"<{self.type} {self.name}>"


def _refusing_arrays(kernel: Callable[..., Any], names: Mapping[int, str]) -> Callable[..., Any]:
    """A kernel that refuses all but scalars for some inputs, told by place and name."""

    def checked(*values: Any) -> Any:
        for place, name in names.items():
            if getattr(values[place], "ndim", 0):
                raise InvalidArgumentError(None, None, f"{name} must be a scalar")
        return kernel(*values)

    return checked


def _noting_writes(kernel: Kernel, inputs: Sequence[Value]) -> Kernel:
    """`kernel`, which writes variables, with new versions for their buffers at its end."""
    if hasattr(kernel, "start"):
        # What it starts are plans, whose kernels do so.
        return kernel
    buffers = tuple(value.bound for value in inputs if isinstance(value.bound, VariableBuffer))
    handed = [
        i
        for i, value in enumerate(inputs)
        if value.bound is UNBOUND and (value.dtype._is_ref_dtype or value.dtype.name == "resource")
    ]
    if not handed:
        if not buffers:
            return kernel

        def write(*arguments: Any) -> Any:
            try:
                return kernel(*arguments)
            finally:
                written(buffers)

        return write

    def write_handed(*arguments: Any) -> Any:
        try:
            return kernel(*arguments)
        finally:
            written(buffers)
            written(arguments[i] for i in handed if isinstance(arguments[i], VariableBuffer))

    return write_handed


class Region:
    """What a loop runs in each iteration.

    Attributes:
        variables: the loop variables' values in an iteration.
        captures: what stands inside for the loop node's inputs after the first `len(variables)`.
        nodes: the nodes, those that are `early` before the condition is asked, the others after it.
        predicate: whether the loop goes on.
        nexts: the loop variables' values in the next iteration.
        exits: what leaves the loop, computed before the condition was asked for the last time.
        waits: nodes that have to run in each iteration though no value depends on them.
    """

    __slots__ = ("captures", "exits", "nexts", "nodes", "predicate", "variables", "waits")

    def __init__(
        self,
        variables: list[Value],
        captures: list[Value],
        nodes: list[Node],
        predicate: Value,
        nexts: list[Value],
        exits: list[Value],
        waits: list[Node],
    ) -> None:
        self.variables = variables
        self.captures = captures
        self.nodes = nodes
        self.predicate = predicate
        self.nexts = nexts
        self.exits = exits
        self.waits = waits

    @property
    def results(self) -> list[Value]:
        """All values that are used outside an iteration."""
        return [self.predicate, *self.nexts, *self.exits]

    def take_results(self, values: Sequence[Value]) -> None:
        """Takes the values that now stand for `results`."""
        count = len(self.nexts)
        self.predicate = values[0]
        self.nexts = list(values[1 : 1 + count])
        self.exits = list(values[1 + count :])


def consumers_of(nodes: Iterable[Node]) -> dict[Value, list[Node]]:
    """Of each value the nodes that take it, in order, each as often as it does."""
    consumers: dict[Value, list[Node]] = {}
    for node in nodes:
        for value in node.inputs:
            consumers.setdefault(value, []).append(node)
    return consumers


def input_positions(node: Node, declared: Collection[int]) -> list[int]:
    """The flattened positions of the declared inputs, lists counted in full."""
    if not declared:
        return []
    positions: list[int] = []
    start = 0
    for index, arg in enumerate(node.decl.signature.inputs):
        count = node.attrs[arg.number_attr] if arg.number_attr is not None else 1
        if arg.type_list_attr is not None:
            count = len(node.attrs[arg.type_list_attr])
        if index in declared:
            positions.extend(range(start, start + count))
        start += count
    return positions


def is_remote(node: Node) -> bool:
    """Whether the node belongs to another task of the cluster."""
    return node.device.type == REMOTE


def is_live(value: Value) -> bool:
    """Whether `value` may be the memory of a variable itself: an op that computes keeps what was read before a write."""
    pending, seen = [value.node], set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.decl.lends_state:
            return True
        # What goes around a loop is the loop's own.
        if node.decl.may_alias and node.region is None:
            # Any of them: a Merge hands on what comes from either branch.
            pending.extend(given.node for given in node.inputs)
    return False


def without(waited: Iterable[Node], gone: Collection[Node]) -> list[Node]:
    """Nodes that something waits for without those that are gone, for which stands what they waited for."""
    found: dict[Node, None] = {}
    pending = list(reversed(list(waited)))
    seen: set[Node] = set()
    while pending:
        node = pending.pop()
        if node not in gone:
            found[node] = None
        elif node not in seen:
            seen.add(node)
            pending.extend(reversed(node.control))
    return list(found)


def joined_control(*nodes: Node) -> list[Node]:
    """What any of `nodes` waits for."""
    return list(dict.fromkeys([other for node in nodes for other in node.control]))


def regions(nodes: Iterable[Node]) -> Iterator[tuple[Node, Region]]:
    """The loops among `nodes` with their regions."""
    for node in nodes:
        if node.region is not None:
            yield node, node.region


def declared(op_type: str) -> OpDecl:
    """The declaration of an op that the planner makes.

    Raises:
        LookupError: if there is none.
    """
    decl = find(op_type)
    if decl is None:
        raise LookupError(f"The planner asks for the undeclared op {op_type}.")
    return decl


def new_node(
    op_type: str,
    like: Node,
    inputs: list[Value],
    output_types: Sequence[tuple[DType, Dims]],
    attrs: dict[str, Any] | None = None,
    notes: dict[str, Any] | None = None,
) -> Node:
    """A node that a rewrite puts in the place of `like`: it takes over its origin, guard, device and control edges."""
    node = Node(declared(op_type), like.name, inputs, attrs or {}, like.origin, like.runtime, like.device)
    node.outputs = [Value(node, i, dtype, dims) for i, (dtype, dims) in enumerate(output_types)]
    node.control = list(like.control)
    node.guard = like.guard
    node.serial = like.serial
    node.early = like.early
    node.notes = notes or {}
    return node
