"""Examples of the use of ops, declared beside them: tests run them, and TensorFlow 1.15 says what they give.

A case states the inputs of one application. A list of ints is a shape (None an unknown size), which tests fill with
numbers; NumPy arrays, scalars, bytes and Python values are values. An input that refers to a variable takes a shape or
a value too: it is that of the variable, which is compared after the op has run. Any other input that has to be made,
such as a queue, is another application:

    enqueue.accepts(queue := made("FIFOQueueV2", component_types=["float32"]), [np.float32(1)],
                    after=[made("QueueDequeueV2", queue, component_types=["float32"])])

`result` is what the op of the case itself gives, for applications that come after it. The elements of a dataset are
compared without being asked for. Whatever stands at several places of a case is one operation of the graph.

An op whose outputs cannot be fetched, as those of a `Switch` and of what is within a loop, says what is fetched instead:

    switch.accepts([2], np.bool_(True), fetches=[made("Merge", [result, result[1]])])
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.core.signature import Signature


@dataclass(eq=False)
class Case:
    """One example application of an op.

    Attributes:
        args: what its inputs are made from.
        attrs: its attributes, and the types that shapes among the inputs stand for.
        error: the exception that it must raise; None if it works.
        match: a pattern for the message of that exception.
        before: applications that run first, a step each.
        after: applications that run later, a step each, and whose values are compared as well.
        control: applications that run before it in its own step.
        fetches: applications that are fetched and compared in the place of its own outputs, which are of a branch not
            taken or of a loop's frame.
        files: contents of files that lie in the current directory, by name.
        varies: why its values differ from run to run; types and shapes are compared then.
        differs: why TensorFlow 1.15 gives something else; nothing of its is compared then.
        gives: what it gives, where no TensorFlow says it: the value of its output, or a tuple of those of its outputs and
            of what the steps of `after` give, in their order; or a function that computes them with NumPy from the
            values of the placeholders, constants and variables among its inputs.
    """

    args: tuple[Any, ...]
    attrs: dict[str, Any]
    error: builtins.type[Exception] | None = None
    match: str | None = None
    before: Sequence[Made] = ()
    after: Sequence[Made] = ()
    control: Sequence[Made] = ()
    fetches: Sequence[Made] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    varies: str | None = None
    differs: str | None = None
    gives: Any = None


_WORDS = tuple(each.name for each in fields(Case) if each.name not in ("args", "attrs", "error"))


def case_of(
    args: tuple[Any, ...],
    attrs: dict[str, Any],
    error: builtins.type[Exception] | None = None,
    signature: Signature | None = None,
) -> Case:
    """A case from what a declaration gives, where the words of cases stand among the attributes.

    Args:
        args: what the inputs are made from.
        attrs: the attributes and the words.
        error: the exception that it must raise.
        signature: that of the op, whose attributes the others are; they are not checked where it is None.

    Raises:
        TypeError: if a keyword is neither a word of cases nor an attribute of the op.
    """
    words = {word: attrs.pop(word) for word in _WORDS if word in attrs}
    if signature is not None and not attrs.keys() <= signature.attrs.keys():
        unknown = ", ".join(sorted(attrs.keys() - signature.attrs.keys()))
        raise TypeError(
            f"A case of {signature.op_type} gives {unknown}; the attributes of {signature.op_type} are "
            f"{', '.join(signature.attrs) or '(none)'}, and the words of cases {', '.join(_WORDS)}."
        )
    return Case(args, attrs, error, **words)


@dataclass(eq=False)
class Made:
    """Another operation of a case; as an input it stands for its first output, and `m[i]` for output `i`.

    Attributes:
        back_edge: of a Merge that a loop begins with, the NextIteration that its last input comes from in the end. That
            input is first another one, as the operations of the loop are made after the Merge.
    """

    type: str
    args: tuple[Any, ...]
    attrs: dict[str, Any]
    control: Sequence[Made] = ()
    back_edge: Made | None = None

    def __getitem__(self, index: int) -> MadeOutput:
        return MadeOutput(self, index)


@dataclass(frozen=True)
class MadeOutput:
    """One output of an operation of a case."""

    made: Made
    index: int


@dataclass(eq=False)
class MadeVariable:
    """A variable of a case: `value` is a shape or a value, as of an input."""

    value: Any
    dtype: str | None
    resource: bool


@dataclass(eq=False)
class MadeFunction:
    """A function of the graph, as the attribute of a case."""

    body: Callable[..., Any]
    input_types: tuple[str, ...]


@dataclass(frozen=True)
class MadeLambda:
    """A Python function that an op calls, as the token of a case; both sides evaluate its text."""

    text: str
    eager_types: tuple[str, ...]
    of_torch: bool = False


result = Made("", (), {})
"""What the op of a case gives: its first output, and `result[i]` output `i`."""


def made(op_type: str, *args: Any, **attrs: Any) -> Made:
    """Another operation of a case: a queue, a table, a dataset.

    Args:
        op_type: its type.
        *args: its inputs, as those of a case.
        **attrs: its attributes; `control` are operations that run before it in the same step.
    """
    return Made(op_type, args, attrs, attrs.pop("control", ()))


def variable(value: Any, dtype: str | None = None) -> MadeVariable:
    """A variable of the first kind, which several operations of a case refer to.

    Args:
        value: its shape or value.
        dtype: its type, float32 or the value's by default.
    """
    return MadeVariable(value, dtype, resource=False)


def resource(value: Sequence[int], dtype: str | None = None) -> MadeVariable:
    """A resource variable; arguments as those of `variable`."""
    return MadeVariable(value, dtype, resource=True)


def body(function: Callable[..., Any], *input_types: str) -> MadeFunction:
    """A function as an attribute, such as that of `MapDataset`.

    Args:
        function: takes tensors, applies ops (`raw.Neg(x)`) and returns tensors.
        *input_types: the types of its arguments.
    """
    return MadeFunction(function, input_types)


def python_lambda(text: str, *eager_types: str) -> MadeLambda:
    """A Python function as the `token` of `PyFunc` or `EagerPyFunc`.

    Args:
        text: the lambda, such as "lambda x: x + 1"; it takes what the op gives to functions.
        *eager_types: of a function of eager tensors, the types of what it returns.
    """
    return MadeLambda(text, eager_types)


def torch_lambda(text: str) -> MadeLambda:
    """A function of PyTorch tensors as the `token` of `TorchFunc`.

    Args:
        text: the lambda, such as "lambda x: x * x".
    """
    return MadeLambda(text, (), of_torch=True)
