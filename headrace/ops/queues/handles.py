"""What the ops on shared state have in common: names, sharing between ops, and both kinds of handle."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from headrace.core.registry import OpDecl, op
from headrace.ops.state.common import invalid

_numbers = itertools.count()


def shared_state(node: Any, kind: str, make: Callable[[str], Any]) -> Any:
    """The state that `node` stands for in its session.

    Args:
        node: a node with `container` and `shared_name`.
        kind: what sort of state it is; states of different kinds have names of their own.
        make: makes it, given its name.
    """
    attrs = node.attrs
    shared = attrs["shared_name"]
    key = (kind, attrs["container"], shared, "" if shared else node.name)

    def named() -> Any:
        return make(shared or f"_{next(_numbers)}_{node.name}")

    return node.runtime.object(key, named)


def declare_pair(
    op_type: str, arguments: str, attrs: str = "", handle: str = "handle", no_gradient: str = "first"
) -> tuple[OpDecl, OpDecl]:
    """Declares an op on a handle in its first form, which takes a reference, and its second, which takes a resource.

    Args:
        op_type: the first form's type.
        arguments: the further inputs, with a comma in front.
        attrs: attributes and outputs.
        handle: the handle's name.
        no_gradient: which of them are declared to have no gradient: "first", "both" or "neither".
    """
    first = op(op_type, f"{handle}: ref string{arguments}{attrs}")
    # Two equal ones are two, though TensorFlow does not call the first form stateful.
    first.stateful = True
    second = op(f"{op_type}V2", f"{handle}: resource{arguments}{attrs}", stateful=True)
    if no_gradient != "neither":
        first.not_differentiable()
    if no_gradient == "both":
        second.not_differentiable()
    return first, second


def both(rule: str, *declarations: OpDecl) -> Callable[[Any], Any]:
    """A decorator that declares one rule for several ops: `@both("kernel", first, second)`."""

    def declare(function: Any) -> Any:
        for decl in declarations:
            getattr(decl, rule)(function)
        return function

    return declare


def wrong_kind(wanted: str, got: Any) -> Exception:
    """The error of a handle to something else."""
    return invalid(f"Trying to access resource of the wrong type: expected {wanted}, got {type(got).__name__}.")
