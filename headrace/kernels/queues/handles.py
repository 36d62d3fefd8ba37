"""What the ops on shared state have in common: names, sharing between ops, and both kinds of handle."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.buffers import StateKey
from headrace.core.registry import OpDecl, op

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_numbers = itertools.count()


def shared_state(node: NodeView, kind: str, make: Callable[[str], Any], by_node_name: bool = False) -> Any:
    """The state that `node` stands for in its session.

    Args:
        node: a node with `container` and `shared_name`.
        kind: what sort of state it is; states of different kinds have names of their own.
        make: makes it, given its name.
        by_node_name: whether the sessions of a server find it by the node's name where it has no `shared_name`; if not,
            each session has its own.
    """
    attrs = node.attrs
    shared = attrs.get("shared_name", "")
    if shared:
        key = StateKey(kind, attrs.get("container", ""), shared)
    else:
        key = StateKey(kind, attrs.get("container", ""), "", node.name, own=not by_node_name)

    def named() -> Any:
        return make(shared or f"_{next(_numbers)}_{node.name}")

    return node.runtime.object(key, named)


def declare_makers(ref_type: str, resource_type: str, signature: str) -> tuple[OpDecl, OpDecl]:
    """Declares what makes shared state in two forms: one gives a handle that is a reference, one that is a resource.

    Args:
        ref_type: the type of the first form.
        resource_type: the type of the second.
        signature: of both; `HANDLE` in it stands for the type of handles.
    """
    first = op(ref_type, signature.replace("HANDLE", "ref string"), stateful=True)
    second = op(resource_type, signature.replace("HANDLE", "resource"), stateful=True)
    return first, second


def declare_pair(
    ref_type: str, resource_type: str, signature: str, no_gradient: str = "first"
) -> tuple[OpDecl, OpDecl]:
    """Declares an op on shared state in two forms: one takes a handle that is a reference, one that is a resource.

    Args:
        ref_type: the type of the first form.
        resource_type: the type of the second.
        signature: of both; `HANDLE` in it stands for the type of handles.
        no_gradient: which of them are declared to have no gradient: "first", "both" or "neither".
    """
    first = op(ref_type, signature.replace("HANDLE", "ref string"))
    # Two equal ones are two, though TensorFlow does not call the first form stateful.
    first.stateful = True
    second = op(resource_type, signature.replace("HANDLE", "resource"), stateful=True)
    if no_gradient != "neither":
        first.not_differentiable()
    if no_gradient == "both":
        second.not_differentiable()
    return first, second


def both(rule: str, *declarations: OpDecl) -> Callable[[Any], Any]:
    """A decorator that declares one rule for several ops: `@both("kernel", first, second)`."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        for decl in declarations:
            getattr(decl, rule)(function)
        return function

    return declare
