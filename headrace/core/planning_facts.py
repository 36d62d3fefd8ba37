"""What the planner asks of an op type besides how it is computed: words of its declaration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.multiply_adds import WorkRule
    from headrace.core.native import Lowering
    from headrace.core.operation import Operation
    from headrace.core.size_elements import ElementsRule
    from headrace.core.typing import NodeView, ValueView


class Role:
    """A part in control flow that the planner plays itself: such ops are not called, or not only.

    It is no `Enum`: passes ask for the role of every node, and members of those take three times as long to look up.
    """

    __slots__ = ("name",)

    SWITCH: ClassVar[Role]
    MERGE: ClassVar[Role]
    ENTER: ClassVar[Role]
    EXIT: ClassVar[Role]
    NEXT_ITERATION: ClassVar[Role]
    LOOP_CONDITION: ClassVar[Role]
    STACK: ClassVar[Role]
    STACK_PUSH: ClassVar[Role]
    STACK_POP: ClassVar[Role]

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<role {self.name}>"


Role.SWITCH = Role("switch")
Role.MERGE = Role("merge")
Role.ENTER = Role("enter")
Role.EXIT = Role("exit")
Role.NEXT_ITERATION = Role("next iteration")
Role.LOOP_CONDITION = Role("loop condition")
Role.STACK = Role("stack")
Role.STACK_PUSH = Role("stack push")
Role.STACK_POP = Role("stack pop")

# What leads values into branches and loops, around in them and out of them.
CONTROL_FLOW = frozenset({Role.SWITCH, Role.MERGE, Role.ENTER, Role.EXIT, Role.NEXT_ITERATION})


# Computes an op from NumPy scalars: an expression in which {0}, {1}, … are the inputs, or a function of the planned node
# that returns one, or None. In expressions `np` is NumPy; the other names are those of `plan.scalar_functions`.
ScalarRule = str | Callable[["NodeView"], "str | None"]
# Of a planned node, how it becomes native instructions; None where it does not.
NativeRule = Callable[["NodeView"], "Lowering | None"]
# Of an operation and the arrays that it takes, how many elements come out at most.
MostElementsRule = Callable[["Operation", "Sequence[np.ndarray]"], int]


class Size(Protocol):
    """A size of a tensor, which may not be known; see `plan.equal_sizes.Size`."""


class SizeRelations(Protocol):
    """Which sizes in an iteration of a loop are the same: see `plan.equal_sizes.EqualSizes`."""

    def of(self, value: ValueView) -> Sequence[Size] | None:
        """The sizes of a value, if its rank is known."""

    def same(self, one: Size, other: Size) -> bool:
        """Notes that two sizes are the same; says whether that is new."""

    def all_same(self, values: Sequence[ValueView], but: int | None = None) -> None:
        """Notes that the values have one shape, save along an axis."""


class FusionView(Protocol):
    """What makes nodes of a planner's op of others: see `plan.fusion.Fusion`."""

    @property
    def purpose(self) -> str: ...


EqualSizesRule = Callable[["NodeView", SizeRelations], None]

Declared = TypeVar("Declared", bound="PlanningFacts")


class PlanningFacts:
    """The part of an op's declaration that only the planner reads; most ops need none of these words.

    Attributes:
        role: its part in control flow.
        cannot_fail: whether it has nothing to complain about once the shapes of its inputs fit.
        may_advance: whether it is an update of a variable that may run as soon as its gradient is there.
        side_effects: whether a stateful op that writes no variable does something besides making its outputs.
        is_view: whether its output is its first input, a view of it, or new memory.
        forwards: of a planned node, whether TensorFlow's op hands on the memory of its input.
        locks: whether it locks the mutex that its first input leads to, until the lock that it gives is released.
        unlocks: whether it releases the lock that it takes.
        handle_of: what the handle that it gives leads to: what its first input leads to ("first"), one of several things
            ("any"), or something of its own (None).
        reads_variable: whether its output is the value of the variable it reads.
        variable_of: of a variable, the attribute with the type of its elements.
        broadcasts: whether its output has the shape that its two inputs are broadcast to.
        same_shape: the declared inputs that have the shape of the first output.
        equal_sizes_rule: notes which sizes of a planned node's inputs and outputs are the same.
        elements_rule: the elements of the output, where it is computed from shapes: see `core.size_elements`.
        sized_by_shapes: whether the shapes of its inputs tell how many elements its outputs have.
        expands: whether any number of bytes may come out of a few.
        moves_text: whether texts come out as they go in: of others a text may come out that is longer by any factor.
        element_cost: how many simple operations each element takes.
        work_rule: how much there is to compute where that is more than going over elements: see `core.multiply_adds`.
        touched_inputs: the declared inputs whose elements it goes over, where these are not all.
        touches_outputs: whether it goes over the elements of its outputs.
        scalar_rule: how it is computed from NumPy scalars.
        scalar_inputs: the inputs that may be NumPy scalars as well as tensors.
        native_rule: how it becomes native instructions: see `core.native`.
        draws_from: of a planned node, the stream that its native instructions draw from.
        on_list: whether it makes or takes a handle that leads to a TensorArray or a stack, for which a list of rows stands
            in native programs.
        most_elements_rule: of an operation and the arrays it takes, how many elements come out at most, where the shapes
            of the arrays do not tell.
        fusion: what makes such nodes of others, if that is a `plan.fusion.Fusion`.
        is_late: whether all else that is ready runs before it.
        types_without_kernel: the attribute of an element type, and the types that the signature allows but TensorFlow has
            no kernel for.
    """

    role: Role | None = None
    cannot_fail: bool = False
    may_advance: bool = False
    side_effects: bool = True
    is_view: bool = False
    forwards: Callable[[NodeView], bool] | None = None
    locks: bool = False
    unlocks: bool = False
    handle_of: str | None = None
    reads_variable: bool = False
    variable_of: str | None = None
    broadcasts: bool = False
    same_shape: tuple[int, ...] = ()
    equal_sizes_rule: EqualSizesRule | None = None
    elements_rule: ElementsRule | None = None
    sized_by_shapes: bool = False
    expands: bool = False
    moves_text: bool = False
    element_cost: int = 1
    work_rule: WorkRule | None = None
    touched_inputs: tuple[int, ...] | None = None
    touches_outputs: bool = True
    scalar_rule: ScalarRule | None = None
    scalar_inputs: tuple[int, ...] = ()
    native_rule: NativeRule | None = None
    draws_from: Callable[[NodeView], object] | None = None
    on_list: bool = False
    most_elements_rule: MostElementsRule | None = None
    fusion: FusionView | None = None
    is_late: bool = False
    types_without_kernel: tuple[str, frozenset[str]] | None = None

    def _input_index(self, name: str) -> int:
        raise NotImplementedError

    def plays(self: Declared, role: Role) -> Declared:
        """Declares its part in control flow."""
        self.role = role
        return self

    def never_fails(self: Declared) -> Declared:
        """Declares that once the shapes of its inputs fit it has nothing to complain about, whatever the values.

        Lookups, decompositions, checks and functions of the program are not such ops. An update of a variable may run
        before what never fails: see `plan.advance`.
        """
        self.cannot_fail = True
        return self

    def advances(self: Declared) -> Declared:
        """Declares of an optimizer's update that it may run as soon as its gradient is there: see `plan.advance`."""
        self.may_advance = True
        return self

    def comes_late(self: Declared) -> Declared:
        """Declares that it takes what another op has begun: all else that is ready runs before it."""
        self.is_late = True
        return self

    def no_side_effects(self: Declared) -> Declared:
        """Declares of a stateful op, such as one that draws numbers, that nothing has to wait for it."""
        self.side_effects = False
        return self

    def views(self: Declared) -> Declared:
        """Declares of an op that aliases: its output is its first input, a view of it, or new memory."""
        self.is_view = True
        return self

    def forwards_memory(self: Declared, when: Callable[[NodeView], bool] = lambda node: True) -> Declared:
        """Declares that TensorFlow's op hands on the memory of its input: the value of a reference stays the variable's own.

        Args:
            when: takes a planned node and says whether it does; all do by default.
        """
        self.forwards = when
        return self

    def locks_mutex(self: Declared) -> Declared:
        """Declares that it locks the mutex it is given; what it gives is the lock, which another op releases."""
        self.locks = True
        return self

    def releases_lock(self: Declared) -> Declared:
        """Declares that it releases the lock that it takes."""
        self.unlocks = True
        return self

    def passes_handle(self: Declared) -> Declared:
        """Declares that the handle or reference it gives leads to what its first input leads to."""
        self.handle_of = "first"
        return self

    def chooses_handle(self: Declared) -> Declared:
        """Declares that the handle or reference it gives leads to one of several things, which only a step knows."""
        self.handle_of = "any"
        return self

    def is_value(self: Declared) -> Declared:
        """Declares of an op that reads a variable that its output is the variable's value, all of it."""
        self.reads_variable = True
        return self

    def variable_with(self: Declared, dtype_attr: str) -> Declared:
        """Declares that it is a variable with elements of the type in that attribute: it lies where such elements do."""
        self.variable_of = dtype_attr
        return self

    def broadcasts_inputs(self: Declared) -> Declared:
        """Declares that its output has the shape that its two inputs are broadcast to."""
        self.broadcasts = True
        return self

    def keeps_shape(self: Declared, *inputs: str) -> Declared:
        """Declares the inputs that have the shape of the output, of which the first is one where none is named."""
        self.same_shape = tuple(self._input_index(name) for name in inputs) or (0,)
        return self

    def equal_sizes(self, rule: EqualSizesRule) -> EqualSizesRule:
        """Declares which sizes are equal: takes the planned node and a `plan.equal_sizes.EqualSizes`, which notes them."""
        self.equal_sizes_rule = rule
        return rule

    def size_elements(self, rule: ElementsRule) -> ElementsRule:
        """Declares what it makes of sizes: see `core.size_elements`."""
        self.elements_rule = rule
        return rule

    def counts_by_shapes(self: Declared) -> Declared:
        """Declares that the shapes of its inputs tell how many elements its outputs have."""
        self.sized_by_shapes = True
        return self

    def decompresses(self: Declared) -> Declared:
        """Declares that any number of bytes may come out of a few: it is not computed while planning."""
        self.expands = True
        return self

    def passes_text(self: Declared) -> Declared:
        """Declares that it passes texts on as they are."""
        self.moves_text = True
        return self

    def gives_no_more(self: Declared) -> Declared:
        """Declares that no output has more elements than the largest input."""
        self.most_elements_rule = lambda op, values: max((array.size for array in values), default=0)
        return self

    def costs(self: Declared, operations: int) -> Declared:
        """Declares how many simple operations, such as additions, each element takes."""
        self.element_cost = operations
        return self

    def work(self: Declared, rule: WorkRule) -> Declared:
        """Declares how much there is to compute where that is more than going over elements: see `core.multiply_adds`."""
        self.work_rule = rule
        return self

    def touches(self: Declared, *inputs: str, outputs: bool = False) -> Declared:
        """Declares which elements it goes over: it reads or writes a few rows of other inputs, however large these are."""
        self.touched_inputs = tuple(self._input_index(name) for name in inputs)
        self.touches_outputs = outputs
        return self

    def scalar(self: Declared, floats: str, integers: str | None = "") -> Declared:
        """Declares how it is computed from NumPy scalars: types, rounding and overflow must be those of tensors.

        Args:
            floats: an expression of the inputs {0}, {1}, …: see `ScalarRule`.
            integers: that for integers, where it is another one; None where there is none.

        Returns:
            this declaration.

        Example:
            >>> from headrace.core.registry import op
            >>> half_op = op("Half", "x: float -> y: float").scalar("{0} * np.float32(0.5)", integers=None)
        """
        if integers == "":
            self.scalar_rule = floats
        else:
            self.scalar_rule = lambda node: floats if node.inputs[0].dtype.is_floating else integers
        return self

    def scalar_expression(self, rule: Callable[[NodeView], str | None]) -> Callable[[NodeView], str | None]:
        """Declares how it is computed from NumPy scalars, by a function of the planned node: see `scalar`."""
        self.scalar_rule = rule
        return rule

    def takes_scalars(self: Declared, *inputs: str) -> Declared:
        """Declares inputs that its kernel takes as NumPy scalars as well as as tensors."""
        self.scalar_inputs = tuple(self._input_index(name) for name in inputs)
        return self

    def native(self, rule: NativeRule) -> NativeRule:
        """Declares how it becomes native instructions, on CPUs: see `core.native`.

        Args:
            rule: takes the planned node and returns what applies the instructions, or None where there are none for it.

        Returns:
            the rule.

        Example:
            >>> from headrace.core.native import applied
            >>> from headrace.core.registry import op
            >>> twice_op = op("Twice", "x: float -> y: float")
            >>> @twice_op.native
            ... def twice_native(node):
            ...     return applied("add", take=[0, 0])
        """
        self.native_rule = rule
        return rule

    def native_list(self, rule: NativeRule) -> NativeRule:
        """Declares how an op on a TensorArray or a stack becomes native instructions: see `native`."""
        self.native_rule, self.on_list = rule, True
        return rule

    def native_draw(self: Declared, draws_from: Callable[[NodeView], object], rule: NativeRule) -> Declared:
        """Declares how an op that draws from a random stream of its own becomes native instructions: see `native`."""
        self.native_rule, self.draws_from = rule, draws_from
        return self

    def most_elements(self, rule: MostElementsRule) -> MostElementsRule:
        """Declares how many elements may come out at most: takes an operation and the arrays that it is given."""
        self.most_elements_rule = rule
        return rule
