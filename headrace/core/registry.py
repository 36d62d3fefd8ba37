"""The declarations of ops: what there is to know about an op type, in one object found by its type."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.building_facts import BuildingFacts
from headrace.core.cases import Case, case_of
from headrace.core.dims import Dims
from headrace.core.kernel_types import types_without_kernel
from headrace.core.planning_facts import PlanningFacts
from headrace.core.registry_of_objects import previous_registration
from headrace.core.shape_errors import shape_error
from headrace.core.signature import Signature, parse_signature

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, OpView

ShapeRule = Callable[["OpView"], Sequence[Dims]]
# A kernel takes the values of the inputs, and returns the output or a tuple of outputs.
KernelRule = Callable[["NodeView"], Callable[..., Any]]
GradientRule = Callable[..., Any]
# What each of these returns is told where the rules are declared.
BindingRule = Callable[["NodeView"], Sequence[Any]]
StaticRule = Callable[["OpView"], "Sequence[Any] | None"]
SameRule = Callable[["NodeView"], Any]
ReuseRule = Callable[["NodeView", int], "Callable[..., Any] | None"]

REGISTRY: dict[str, OpDecl] = {}
# The types of devices that kernels may be declared for, as torch names them.
DEVICE_TYPES = ("cpu", "cuda")


class BoundConstant:
    """What the binding rule of a constant returns: the NumPy array it always is."""

    __slots__ = ("array",)

    def __init__(self, array: np.ndarray) -> None:
        self.array = array


# What applies ops; found at the first use, as it needs declarations itself.
_applies: Callable[..., Any] | None = None


def _find_apply() -> Callable[..., Any]:
    global _applies
    from headrace.core.apply import apply_op

    _applies = apply_op
    return apply_op


@dataclass(eq=False)
class OpDecl(PlanningFacts, BuildingFacts):
    """The declaration of one op type; call it to apply the op."""

    type: str
    signature: Signature
    stateful: bool = False
    shape_rule: ShapeRule | None = None
    kernel_rule: KernelRule | None = None
    # Place to name of inputs, from the end where negative, that the kernel takes as scalars only.
    named_scalars: dict[int, str] = field(default_factory=dict)
    device_kernels: dict[str, KernelRule] = field(default_factory=dict)
    gradient_rule: GradientRule | None = None
    differentiable: bool | None = None
    binding_rule: BindingRule | None = None
    static_rule: StaticRule | None = None
    same_rule: SameRule | None = None
    may_alias: bool = False
    host_inputs: frozenset[str] = frozenset()
    host_outputs: bool = False
    reads_state: tuple[int, ...] = ()
    writes_state: tuple[int, ...] = ()
    kept_inputs: tuple[int, ...] = ()
    fresh_outputs: frozenset[int] = frozenset()
    reuse_rule: ReuseRule | None = None
    must_run: bool = False
    uses_numpy_floats: bool = False
    is_waited_for: bool = True
    may_wait: bool = False
    file_rule: Callable[[Any, Any], bool] | None = None
    runs_python: bool = False
    module: str = ""
    line: int = 0
    cases: list[Case] = field(default_factory=list)
    why_no_case: str | None = None
    why_own: str | None = None

    @property
    def of_the_planner(self) -> bool:
        """Whether only Headrace itself makes such operations: what comes from a file or a message has none."""
        return self.type.startswith("_")

    @property
    def is_fresh(self) -> bool:
        """Whether all outputs are memory that nothing else refers to."""
        return len(self.fresh_outputs) == len(self.signature.outputs)

    @property
    def lends_state(self) -> bool:
        """Whether what it gives may be the memory of the state that it reads, which the next write changes."""
        return bool(self.reads_state) and not self.is_fresh

    @functools.cached_property
    def takes_references(self) -> bool:
        """Whether an input is a reference to a variable."""
        return any(arg.is_ref for arg in self.signature.inputs)

    @functools.cached_property
    def host_positions(self) -> frozenset[int]:
        """Which inputs are always read on the host."""
        return frozenset(i for i, arg in enumerate(self.signature.inputs) if arg.name in self.host_inputs)

    def shape(self, rule: ShapeRule) -> ShapeRule:
        """Declares the shape rule: takes the operation, returns the `Dims` of each output."""
        self.shape_rule = rule
        return rule

    def kernel(self, rule: KernelRule) -> KernelRule:
        """Declares the kernel rule: takes the node when a plan is made, returns what runs every step."""
        self.kernel_rule = rule
        return rule

    def kernel_on(self, device_type: str) -> Callable[[KernelRule], KernelRule]:
        """Declares a kernel rule for devices of one type, instead of the generic one.

        What is particular to a kind of device, such as the libraries it has, lies in `headrace.devices`.

        Args:
            device_type: the type, as torch names it: "cpu" or "cuda".

        Returns:
            a decorator of the rule.

        Raises:
            ValueError: if there is no such type of devices, or a kernel rule is declared for it already.
        """
        if device_type not in DEVICE_TYPES:
            raise ValueError(f"{self.type}: expected a type of devices of {DEVICE_TYPES}, got {device_type!r}")

        def declared(rule: KernelRule) -> KernelRule:
            if device_type in self.device_kernels:
                raise ValueError(f"{self.type} has a kernel for {device_type!r} already.")
            self.device_kernels[device_type] = rule
            return rule

        return declared

    def kernel_rule_on(self, device_type: str) -> KernelRule | None:
        """The kernel rule for devices of a type: the one declared for it, else the generic one."""
        return self.device_kernels.get(device_type, self.kernel_rule)

    def gradient(self, rule: GradientRule) -> GradientRule:
        """Declares the gradient rule: takes the operation and its output gradients, returns one a input."""
        self.gradient_rule = rule
        self.differentiable = True
        return rule

    def binding(self, rule: BindingRule) -> BindingRule:
        """Declares what the outputs always are in one session, instead of a kernel: a constant, a variable's buffer."""
        self.binding_rule = rule
        return rule

    def static_value(self, rule: StaticRule) -> StaticRule:
        """Declares when outputs are known from static shapes alone: takes the op, returns NumPy arrays or None."""
        self.static_rule = rule
        return rule

    def same_as(self, rule: SameRule) -> SameRule:
        """Declares when the op does nothing: takes the planned node, returns the `Value` its output equals, or None."""
        self.same_rule = rule
        return rule

    def not_differentiable(self) -> OpDecl:
        """Declares that no gradient flows through the op.

        Where neither this nor a gradient is declared, a gradient that reaches the op is a LookupError, and a program
        may register its own. Ops of 1.x are declared as they were registered there.
        """
        self.differentiable = False
        return self

    def aliases(self) -> OpDecl:
        """Declares that an output may share memory with an input."""
        self.may_alias = True
        return self

    def on_host(self, *inputs: str, outputs: bool = False) -> OpDecl:
        """Declares inputs that are always read on the host (shapes, axes), and whether the outputs are made there."""
        self.host_inputs = frozenset(inputs)
        self.host_outputs = outputs
        return self

    def reads(self, *inputs: str) -> OpDecl:
        """Declares the inputs through which it reads state that other ops change."""
        self.reads_state = tuple(self._input_index(name) for name in inputs)
        return self

    def writes(self, *inputs: str) -> OpDecl:
        """Declares the inputs through which it changes state: the planner runs it after the readers it may follow."""
        self.writes_state = tuple(self._input_index(name) for name in inputs)
        return self

    def keeps(self, *inputs: str) -> OpDecl:
        """Declares the inputs that it keeps after its call: they get memory that no later write to a variable changes."""
        self.kept_inputs = tuple(self._input_index(name) for name in inputs)
        return self

    def fresh(self, *outputs: str) -> OpDecl:
        """Declares outputs, all if none are named, as memory that nothing else refers to, a place for each element."""
        names = [arg.name for arg in self.signature.outputs]
        self.fresh_outputs = frozenset(i for i, name in enumerate(names) if not outputs or name in outputs)
        return self

    def reuses(self, rule: ReuseRule) -> OpDecl:
        """Declares how the op is computed in the memory of an input that nothing else needs; its output is `fresh`.

        Args:
            rule: takes the planned node and the index of that input, and returns what runs instead of the kernel, which
                may destroy that input and no other; or None if it cannot be done.
        """
        self.reuse_rule = rule
        return self.fresh()

    def checks(self) -> OpDecl:
        """Declares that the op is there to raise: it runs even where only a control edge asks for it."""
        self.must_run = True
        return self

    def waits(self) -> OpDecl:
        """Declares that the op may wait for others, in this step or another: see `plan.waiting`."""
        self.may_wait = True
        return self

    def writes_files(self, when: Callable[[Any, Any], bool] = lambda op, fed: True) -> OpDecl:
        """Declares that the op writes files, which loading a model never does.

        Args:
            when: takes an operation and the tensors that are fed, whose values are not those of the graph, and says
                whether it does; all of them do by default.
        """
        self.file_rule = when
        return self

    def calls_python(self) -> OpDecl:
        """Declares that the op calls functions of the program, which no file can hold."""
        self.runs_python = True
        return self

    def waits_by_value(self) -> OpDecl:
        """Declares that control edges to the op say nothing: what has to come after it takes one of its values."""
        self.is_waited_for = False
        return self

    def numpy_floats(self) -> OpDecl:
        """Declares that the kernel may compute with NumPy, whose warnings of overflow and the like are kept quiet."""
        self.uses_numpy_floats = True
        return self

    def _input_index(self, name: str) -> int:
        return next(i for i, arg in enumerate(self.signature.inputs) if arg.name == name)

    def accepts(self, *args: Any, **attrs: Any) -> OpDecl:
        """Declares an example that works: lists of ints are shapes, NumPy arrays and scalars are values.

        Args:
            *args: what its inputs are made from: see `core.cases`.
            **attrs: its attributes, and the types that shapes among the inputs stand for. `before`, `after`, `control`,
                `fetches`, `files`, `varies`, `differs` and `gives` are none, but what `core.cases.Case` says.

        Returns:
            this declaration.

        Raises:
            TypeError: if a keyword is neither an attribute nor one of these words.
        """
        self.cases.append(case_of(args, attrs, signature=self.signature))
        return self

    def rejects(self, *args: Any, error: builtins.type[Exception], **attrs: Any) -> OpDecl:
        """Declares an example that must raise `error`, in the graph or when it runs.

        Args:
            *args: what its inputs are made from.
            error: the class of the exception, or one that it derives from.
            **attrs: as those of `accepts`; `match` is a pattern for the message.

        Returns:
            this declaration.
        """
        self.cases.append(case_of(args, attrs, error, self.signature))
        return self

    def no_case(self, why: str) -> OpDecl:
        """Declares why no example of the op can run by itself, here or in TensorFlow 1.15 on a CPU."""
        self.why_no_case = why
        return self

    def own(self, why: str) -> OpDecl:
        """Declares why no TensorFlow has the op: its cases say themselves what they give, with the word `gives`."""
        self.why_own = why
        return self

    def infer_shapes(self, op: Operation) -> Sequence[Dims]:
        """The static shapes of the outputs of `op`.

        Raises:
            ValueError: naming the op and its input shapes, when they do not fit.
        """
        if self.shape_rule is None:
            return [None] * len(op.outputs)
        try:
            return self.shape_rule(op)
        except ValueError as error:
            raise shape_error(op, self.shape_rule, error) from None

    def __call__(self, *args: Any, name: str | None = None, **keywords: Any) -> Any:
        apply_op = _applies
        if apply_op is None:
            apply_op = _find_apply()
        return apply_op(self, args, keywords, name)

    def __repr__(self) -> str:
        return f"<op {self.type}>"


def op(op_type: str, signature: str, *, stateful: bool = False) -> OpDecl:
    """Declares an op type.

    Args:
        op_type: TensorFlow's name for it.
        signature: inputs, attributes and outputs, in the language of `core.signature`.
        stateful: whether two equal applications may differ, so that they are never merged or folded.

    Returns:
        the declaration, to which the rules are attached with its decorators.

    Raises:
        ValueError: if the type is declared already.
    """
    if op_type in REGISTRY:
        raise ValueError(f"The op type {op_type} is declared twice.")
    decl = OpDecl(op_type, parse_signature(op_type, signature, stateful), stateful)
    decl.types_without_kernel = types_without_kernel(op_type)
    decl.module, decl.line = _declaring_line()
    REGISTRY[op_type] = decl
    return decl


def _declaring_line() -> tuple[str, int]:
    """The module whose text is being run, and the line: a helper that declares ops for several files is not where they are."""
    frame = sys._getframe(2)
    while frame.f_code.co_name != "<module>" and frame.f_back is not None:
        frame = frame.f_back
    return str(frame.f_globals["__name__"]), frame.f_lineno


def find(op_type: str) -> OpDecl | None:
    """The declaration of `op_type`, importing the file that declares it if it has not been yet; None if there is none."""
    decl = REGISTRY.get(op_type)
    if decl is None:
        slots.declare(op_type)
        decl = REGISTRY.get(op_type)
    return decl


def find_public(op_type: str) -> OpDecl | None:
    """The declaration of `op_type` if graphs from elsewhere may have such operations, as `find` otherwise.

    Kernels of the others rely on what the planner says of a node, and are not made for what anybody else says.
    """
    decl = find(op_type)
    return None if decl is None or decl.of_the_planner else decl


def _why_absent() -> str:
    """Why an op type is not found, said to who asks for it: a file of Headrace may have declared it since."""
    asking = str(sys._getframe(2).f_globals.get("__name__", ""))
    if asking.partition(".")[0] == __name__.partition(".")[0]:
        return "Headrace has no such op, or its index does not have it yet: run make index."
    return "Headrace has no such op."


class _Raw:
    """Every declared op type as an attribute: `raw.MatMul(a, b, transpose_a=True)`."""

    def __getattr__(self, op_type: str) -> OpDecl:
        if op_type.startswith("__"):
            raise AttributeError(op_type)
        decl = find(op_type)
        if decl is None:
            raise AttributeError(f"module 'tensorflow.raw_ops' has no attribute {op_type!r}: {_why_absent()}")
        setattr(self, op_type, decl)
        return decl

    def __dir__(self) -> list[str]:
        return slots.op_types()


raw: Any = _Raw()

GradientFunction = Callable[..., Any]
_registered_gradients: dict[str, GradientFunction | None] = {}


class RegisterGradient:
    """A decorator that registers the gradient function of an op type, or of a name for `gradient_override_map`.

    The function takes the `Operation` and one gradient for each output and returns one for each input.

    Args:
        op_type: the op type or override name.

    Raises:
        TypeError: if `op_type` is not a string.
        KeyError: if it has a gradient already.

    Example:
        >>> @tf.RegisterGradient("Clipped")
        ... def _clipped(op, grad):
        ...     return tf.clip_by_value(grad, -1.0, 1.0)
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, function: GradientFunction) -> GradientFunction:
        """Registers `function`."""
        _register_gradient(self._op_type, function)
        return function


def _register_gradient(op_type: str, function: GradientFunction | None) -> None:
    decl = find(op_type)
    declared = decl is not None and decl.differentiable is not None
    if declared or op_type in _registered_gradients:
        known = _registered_gradients.get(op_type) or (decl and decl.gradient_rule)
        raise KeyError(f"Registering two gradient with name {op_type!r}! {previous_registration(known)}")
    _registered_gradients[op_type] = function


def no_gradient(op_type: str) -> None:
    """Registers that ops of type `op_type` have no gradient.

    Raises:
        TypeError: if `op_type` is not a string.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register_gradient(op_type, None)


# What calls a function, and does nothing else.
CALLS = frozenset(["PartitionedCall", "StatefulPartitionedCall"])


def has_declared_gradient(op: Operation) -> bool:
    """Whether the gradient of an operation is what its declaration says, not a function that a program registered."""
    if "_gradient_op_type" in op.attrs or op.type in _registered_gradients:
        return False
    return op.decl.differentiable is not None


def gradient_function(op: Operation) -> GradientFunction | None:
    """The gradient function of an operation; None where it is declared not differentiable.

    Raises:
        LookupError: if nothing is declared or registered for it.
    """
    override = op.attrs.get("_gradient_op_type")
    key = override if override is not None else op.type
    if isinstance(key, bytes):
        key = key.decode()
    if key in _registered_gradients:
        return _registered_gradients[key]
    # The op of a call of a function is declared by the function, under its name. Calls in a graph that was imported name
    # gradients that were registered where it was made: they have that of the function.
    is_own = key == op.decl.type or op.type in CALLS or op.decl is not find(op.type)
    decl = op.decl if is_own else find(key)
    if decl is not None and decl.differentiable is not None:
        return decl.gradient_rule
    raise LookupError(f"No gradient defined for operation '{op.name}' (op type: {key})")
