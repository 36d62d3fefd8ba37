"""One forward sweep that binds constants and resources, folds what is known, drops what does nothing, merges equals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import torch

from headrace.core.constant_value import is_repeated, text_bytes
from headrace.core.dtypes import string
from headrace.core.errors import InvalidArgumentError
from headrace.core.graph_functions import may_loop
from headrace.core.planning_facts import Role
from headrace.core.registry import BoundConstant
from headrace.plan.evaluate import is_bounded
from headrace.plan.ir import UNBOUND, Node, Region, Value, is_live, is_remote, new_node
from headrace.plan.values import to_numpy, to_torch

# A folded constant larger than this costs more to keep than to compute; texts to look at may have as many bytes.
_FOLD_LIMIT = 1 << 20
# Texts that others are made of may have so many: those may be as long as the product.
_MAX_BYTES = 1 << 12
# What one element stands for in more places is not computed with before a step asks for it.
_MAX_REPEATED = 1 << 24
# A constant of one element takes the memory of one, but whoever computes with it may write it out.
_MAX_CONSTANT = 1 << 31
# Arrays of more elements are not asked whether they are equal.
_COMPARED = 64
# The nodes that compute something new, by op, inputs and place; several of one kind by their attributes.
_Merged = dict[Hashable, Node | dict[Hashable, Node]]
_CPU = torch.device("cpu")


def simplify(nodes: list[Node], keep: set[Node], only_bind: bool = False) -> tuple[list[Node], dict[Value, Value]]:
    """Rewrites `nodes`, given in topological order.

    Args:
        nodes: the nodes; their inputs are replaced in place.
        keep: nodes that must stay because they are run for their effect.
        only_bind: whether to bind constants and resources, and to leave everything else as the program made it.

    Returns:
        the nodes left and, for values that are no more, the value that stands for each.
    """
    sweep = _Sweep(nodes, keep, only_bind)
    sweep.run(nodes)
    return sweep.left, sweep.replaced


class _Sweep:
    """One way through the nodes, from the first to the last.

    Args:
        nodes: the nodes.
        keep: those that must stay.
        only_bind: whether nothing is done but to bind constants and resources.

    Attributes:
        left: the nodes left.
        replaced: for values that are no more, the value that stands for each.
    """

    def __init__(self, nodes: list[Node], keep: set[Node], only_bind: bool) -> None:
        self._keep, self._only_bind = keep, only_bind
        self.left: list[Node] = []
        self.replaced: dict[Value, Value] = {}
        # For nodes that are no more, what those wait for that waited for them.
        self._dropped: dict[Node, list[Node]] = {}
        self._merged: _Merged = {}
        self._constants: dict[Hashable, Value] = {}
        self._chosen = _Chosen(nodes)

    def run(self, nodes: list[Node]) -> None:
        """Keeps each node, or says what stands for it."""
        left, replaced, dropped, keep, only_bind = self.left, self.replaced, self._dropped, self._keep, self._only_bind
        for node in nodes:
            # What stands for others comes in their place.
            inputs = node.inputs
            for i, value in enumerate(inputs):
                new = replaced.get(value)
                if new is not None:
                    inputs[i] = new
            if node.guard and any(pred in replaced for pred, _ in node.guard):
                node.guard = tuple(dict.fromkeys((replaced.get(pred, pred), taken) for pred, taken in node.guard))
            if node.control:
                node.control = _live_controls(node.control, dropped)

            decl = node.decl
            if node.region is not None:
                _simplify_region(node, node.region, only_bind)
            elif decl.binding_rule is not None and not (decl.stateful and is_remote(node)):
                self._bind(node)
                # A constant that waits for something makes its consumers wait too.
                if not node.control:
                    dropped[node] = []
                    if not decl.stateful and not only_bind and not _stood_for(self._constants, node, replaced):
                        _merged(self._merged, node, replaced)
                    continue
            # Two equal writes are two: each changes the variable.
            elif not (only_bind or decl.stateful or decl.writes_state or node.control or node in keep):
                stands = self._stands_for(node)
                if stands is not None:
                    dropped[node] = stands
                    continue
            left.append(node)

    def _bind(self, node: Node) -> None:
        """Gives the outputs of a constant or variable what they always are."""
        assert node.decl.binding_rule is not None
        for value, bound in zip(node.outputs, node.decl.binding_rule(node), strict=True):
            value.bound = bound
            if isinstance(bound, BoundConstant):
                _check_size(bound.array, node)
                value.constant, value.bound = bound.array, to_torch(bound.array, value.dtype)

    def _stands_for(self, node: Node) -> list[Node] | None:
        """What those wait for that waited for `node`, if it need not run; None if it stays."""
        decl, chosen = node.decl, self._chosen
        if decl.static_rule is not None and not chosen.has(node) and _bind_static(node):
            self._note_constant(node)
            return []
        keeps = chosen.keeps(node)
        same: Value | None = decl.same_rule(node) if decl.same_rule is not None and not keeps else None
        if same is not None and _may_be_replaced(node, same):
            self.replaced[node.outputs[0]] = self.replaced.get(same, same)
            # What a loop is given, or a step is fed, is there already.
            return [] if same.is_given() else [same.node]
        if keeps:
            # The Merge asks in which branch this is, so it is computed there.
            if not node.guard:
                branch = chosen.branch_of(node)
                node.control.append(branch)
                self.left.append(branch)
            return None
        if _fold(node):
            self._note_constant(node)
            return []
        first = _merged(self._merged, node, self.replaced)
        return None if first is None else [first]

    def _note_constant(self, node: Node) -> None:
        if not self._chosen.depends_on_step(node, node.inputs):
            _stood_for(self._constants, node, self.replaced)


class _Chosen:
    """Constants that come out of a branch by their shape alone, on the way to the Merge that chooses among them."""

    def __init__(self, nodes: list[Node]) -> None:
        merges = [node for node in nodes if node.decl.role is Role.MERGE]
        self._merged = {value for node in merges for value in node.inputs}
        # What was computed while planning from the shape of a value, and that value.
        self._from: dict[Node, Value] = {}

    def has(self, node: Node) -> bool:
        """Whether a Merge takes an output of `node`."""
        return bool(self._merged) and not self._merged.isdisjoint(node.outputs)

    def depends_on_step(self, node: Node, inputs: Sequence[Value]) -> bool:
        """Whether `node`, which is a constant now, comes out of a step's values; notes it if there are Merges."""
        if not self._merged:
            return False
        found = next((value for value in inputs if value.bound is UNBOUND), None)
        if found is None:
            found = next((self._from[value.node] for value in inputs if value.node in self._from), None)
        if found is not None:
            self._from[node] = found
        return found is not None

    def keeps(self, node: Node) -> bool:
        """Whether `node` is to stay a node, though what it takes is constant, for the Merge that takes its output."""
        if not self.has(node) or any(value.bound is UNBOUND for value in node.inputs):
            return False
        return bool(node.guard) or any(value.node in self._from for value in node.inputs)

    def branch_of(self, node: Node) -> Node:
        """A node that waits for the branch that the constants `node` takes come from."""
        found = next(self._from[value.node] for value in node.inputs if value.node in self._from)
        return new_node("Identity", node, [found], [(found.dtype, found.dims)])


def _may_be_replaced(node: Node, same: Value) -> bool:
    """Whether `same`, which has the value that the node gives, may stand for it."""
    # What waits for an Identity of a Switch waits for the branch, which the Switch itself does not say.
    if same.node.decl.role is Role.SWITCH or (is_live(same) and not node.decl.may_alias):
        return False
    # The shape of a Reshape may be all that says what it waits for.
    return not any(value.node.control for value in node.inputs if value.bound is not UNBOUND)


def _check_size(array: np.ndarray, node: Node) -> None:
    """Refuses a constant that a few bytes of a file say is larger than what any memory holds."""
    if array.size >= _MAX_CONSTANT and is_repeated(array):
        raise InvalidArgumentError(
            None,
            node.origin,
            f"Cannot parse tensor from proto: '{node.name}' is one {node.outputs[0].dtype.name} in shape {list(array.shape)}, "
            f"expected fewer than {_MAX_CONSTANT} elements, got {array.size}",
        )


def _simplify_region(loop: Node, region: Region, only_bind: bool) -> None:
    """Simplifies the inside of a loop, where what comes from outside may be known."""
    for inner, outer in zip(region.captures, loop.inputs[len(region.variables) :], strict=True):
        inner.bound, inner.constant = outer.bound, outer.constant
        if inner.dims is None:
            inner.dims = outer.dims
    region.nodes, replaced = simplify(region.nodes, set(region.waits), only_bind)
    region.take_results([replaced.get(value, value) for value in region.results])


def _live_controls(control: list[Node], dropped: dict[Node, list[Node]]) -> list[Node]:
    if not any(node in dropped for node in control):
        return control
    live: dict[Node, None] = {}
    pending = list(reversed(control))
    while pending:
        node = pending.pop()
        stands = dropped.get(node)
        if stands is None:
            live[node] = None
        else:
            pending.extend(stands)
    return list(live)


def _bind_static(node: Node) -> bool:
    assert node.decl.static_rule is not None
    arrays = node.decl.static_rule(node)
    if arrays is None:
        return False
    for value, array in zip(node.outputs, arrays, strict=True):
        value.constant = np.asarray(array, dtype=value.dtype.as_numpy_dtype)
        value.bound = to_torch(value.constant, value.dtype)
        value.dims = value.constant.shape
    return True


def _fold(node: Node) -> bool:
    """Runs the node now if every input is a constant, and it lies in no branch."""
    # A branch may never be taken: what lies in one is computed when it runs, not while planning.
    if not node.inputs or node.decl.kernel_rule is None or node.guard:
        return False
    for value in node.inputs:
        if value.constant is None or value.node.control:
            return False
    if not node.outputs or node.type.startswith("_") or not _may_fold(node):
        return False
    size, open_ended = 1, False
    for value in node.outputs:
        # A list is made each time, so that it may be changed in place.
        if value.dims is None or value.dtype.name == "variant":
            return False
        for dim in value.dims:
            if dim is not None:
                size *= dim
            else:
                # Sizes and axes are made on the host; how many is for their shape rule to say.
                open_ended = True
    if size >= _FOLD_LIMIT or (open_ended and not (node.decl.host_outputs and _is_bounded(node))):
        return False
    # Constants are made and kept on the CPU; placement copies them to where they are needed.
    device, node.device = node.device, _CPU
    try:
        with np.errstate(all="ignore"):
            result = node.kernel()(*[value.bound for value in node.inputs])
        results = result if isinstance(result, (tuple, list)) else (result,)
        arrays = [to_numpy(item, value.dtype) for value, item in zip(node.outputs, results, strict=True)]
    except Exception:  # noqa: BLE001  whatever it is, the run raises it, with the node and the user's line
        return False
    finally:
        node.device = device
    for value, item, array in zip(node.outputs, results, arrays, strict=True):
        value.bound, value.constant, value.dims = item, array, array.shape
    return True


def _may_fold(node: Node) -> bool:
    """Whether what `node` computes cannot be much more than what it takes, nor take much time."""
    if node.decl.signature.calls and (node.origin is None or may_loop(node.origin)):
        return False
    arrays = [value.constant for value in node.inputs if value.constant is not None]
    if any(array.size > _MAX_REPEATED and is_repeated(array) for array in arrays):
        return False
    if node.decl.moves_text or all(array.dtype != object for array in arrays):
        return True
    if node.decl.expands or sum(array.size for array in arrays) > _FOLD_LIMIT:
        return False
    makes_text = any(value.dtype.base_dtype is string for value in node.outputs)
    return sum(map(text_bytes, arrays)) <= (_MAX_BYTES if makes_text else _FOLD_LIMIT)


def _is_bounded(node: Node) -> bool:
    arrays = [value.constant for value in node.inputs if value.constant is not None]
    if node.origin is None or node.origin.decl is not node.decl:
        return False
    if node.decl.most_elements_rule is None and not node.decl.sized_by_shapes:
        return False
    return is_bounded(node.origin, arrays, _FOLD_LIMIT)


def _merged(merged: _Merged, node: Node, replaced: dict[Value, Value]) -> Node | None:
    """The node before that computes the same, whose outputs then stand for this one's; else the node is noted itself."""
    inputs = node.inputs
    # Equals of different branches stay two: only one of them runs, and a Merge asks in which branch its inputs lie.
    value = node.attrs.get("value") if not inputs else None
    kind = None if value is None else (getattr(value, "dtype", None), getattr(value, "shape", None))
    place = (node.decl, tuple(inputs), kind, node.device, node.guard)
    alike = merged.get(place)
    if alike is None:
        # Attributes are looked at when there is something to compare them with.
        merged[place] = node
        return None
    if isinstance(alike, Node):
        alike = merged[place] = {_attrs_key(alike): alike}
    key = _attrs_key(node)
    first = None if key is None else alike.setdefault(key, node)
    if first is None or first is node:
        return None
    for output, same in zip(node.outputs, first.outputs, strict=True):
        replaced[output] = same
    return first


def _stood_for(constants: dict[Hashable, Value], node: Node, replaced: dict[Value, Value]) -> bool:
    """Whether constants seen before stand for the outputs, or do from now on: what computes with them is equal then."""
    known = True
    for value in node.outputs:
        contents = None if value.constant is None else _contents(value.constant)
        if contents is None:
            known = False
            continue
        key = (value.dtype.name, contents, node.device, node.guard)
        first = constants.setdefault(key, value)
        if first is not value:
            replaced[value] = first
    return known


def _contents(array: np.ndarray) -> Hashable:
    """The shape and elements of a constant in a form to compare; None where they are too many."""
    if array.size > _COMPARED:
        return None
    if array.dtype != object:
        return array.shape, array.tobytes()
    texts = tuple(array.reshape(-1).tolist())
    return (
        (array.shape, texts)
        if text_bytes(array) <= _FOLD_LIMIT and all(type(text) is bytes for text in texts)
        else None
    )


def _attrs_key(node: Node) -> Hashable:
    """The attributes in a form to compare; None if they are too large or no part of a key."""
    frozen = []
    for name, value in node.attrs.items():
        if name.startswith("_"):
            continue
        if isinstance(value, np.ndarray):
            contents = _contents(value)
            if contents is None:
                return None
            value = (value.dtype.str, contents)
        elif isinstance(value, list):
            value = tuple(value)
        frozen.append((name, value))
    key = tuple(frozen)
    try:
        hash(key)
    except TypeError:
        return None
    return key
