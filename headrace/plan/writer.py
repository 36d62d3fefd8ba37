"""The source of a plan's function: a line an op, kernels bound as its constants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Any, NoReturn

import numpy as np
import torch

from headrace.core import errors
from headrace.core.buffers import VariableBuffer
from headrace.core.planning_facts import Role
from headrace.core.waiting import limits
from headrace.devices.threads import all_threads, one_thread, thread_count
from headrace.plan import scalar_functions
from headrace.plan.branches import Guard, guard_of, is_never_taken, live_inputs
from headrace.plan.graph import Reuse
from headrace.plan.handles import variable_of
from headrace.plan.ir import NATIVE_REGION, UNBOUND, Node, Region, Value, input_positions, is_live
from headrace.plan.native_arenas import give_back
from headrace.plan.pauses import ALL, ONE, wanted_threads
from headrace.plan.references import Reference, scalar_check

# Python takes a hundred levels of indentation, and twenty of loops and contexts.
_MAX_DEPTH = 75
_MAX_LOOPS = 18

# What the memory is called that native regions take for a step.
_ARENAS = "arenas"


def _last_uses(nodes: Sequence[Node]) -> dict[Value, int]:
    """For each value that the nodes use, the position of the last of them that does."""
    last: dict[Value, int] = {}
    for position, node in enumerate(nodes):
        for value in node.inputs:
            last[value] = position
        for pred, _ in node.guard:
            last[pred] = position
        if node.decl.role is Role.MERGE:
            for value in node.inputs:
                for pred, _ in guard_of(value):
                    last[pred] = position
    return last


def _has_heavy(nodes: Sequence[Node]) -> bool:
    return any(node.heavy or (node.region is not None and _has_heavy(node.region.nodes)) for node in nodes)


def _computes_with_numpy(nodes: Sequence[Node]) -> bool:
    return any(
        node.template is not None
        or node.decl.uses_numpy_floats
        or (node.region is not None and _computes_with_numpy(node.region.nodes))
        for node in nodes
    )


def _statements(guard: Guard, room: int) -> list[Guard]:
    """The branches of a guard as `if` statements, one in the other; one for all that are too deep for Python."""
    if len(guard) <= room:
        return [(branch,) for branch in guard]
    nested = max(room - 1, 0)
    return [*((branch,) for branch in guard[:nested]), guard[nested:]]


def _identifier(text: str) -> str:
    """`text` as part of an identifier. Functions of a library, which op types may name, are called anything at all."""
    return text if text.isascii() and text.isidentifier() else re.sub(r"[^A-Za-z0-9_]", "_", f"call_{text}")


def _comment(node: Node) -> str:
    """The end of a line: what it stands for, on that line whatever the name is made of."""
    return f"  # {node.name if node.name.isascii() and node.name.isprintable() else ascii(node.name)}"


def _no_value(position: int) -> NoReturn:
    """Refuses to fetch what lies in a branch that was not taken."""
    raise errors.InvalidArgumentError(None, None, f"Retval[{position}] does not have value")


class Writer:
    """The source of one function, written line by line.

    Args:
        nodes: the nodes in the order they run.
        feeds: the values that become its parameters.
        fetches: the values it returns.
        copied: the nodes whose value must be copied.
        reused: the nodes that compute in the memory of an input.
        heavy: whether any node of the plan uses all threads.
        observed: whether it takes an observer, which it calls around each node's call.
        partial: whether it is a part of a plan.
        watched: whether it shows values of no use too.

    Attributes:
        native: for nodes that a native region computes the node that stands for it, None for those that need no line.
        constants: what the source refers to by name, kernels among them.
        line_nodes: the node of each line that is one's.
        numbered: the nodes by the number that the observer is called with.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        feeds: Sequence[Value],
        fetches: Sequence[Value],
        copied: Set[Node],
        reused: Mapping[Node, Reuse],
        heavy: bool,
        observed: bool,
        partial: bool,
        watched: bool,
    ) -> None:
        self.nodes, self.feeds, self.fetches = nodes, feeds, fetches
        self.copied, self.reused = copied, reused
        self.observed, self.partial, self.watched = observed, partial, watched
        self.native: Mapping[Node, Node | None] = {}
        self.constants: dict[str, Any] = {}
        self.names: dict[Value, str] = {}
        self.scalar_names: dict[Value, str] = {}
        self.lines: list[str] = []
        self.line_nodes: dict[int, Node] = {}
        self.numbered: list[Node] = []
        self.depth = 1
        self.guard: Guard = ()
        # The `if` statements that are open for it, and the loops.
        self.branches: list[Guard] = []
        self.loops = 0
        # Whether calls switch between one thread and all; what each call wants, and what there is at the last line, None
        # after a branch.
        self.threaded = heavy and thread_count() > 1
        self.wanted: dict[Node, int] = {}
        self.threads: int | None = None
        # Values that anything uses, and those that one iteration of the open loop hands on.
        self.used: set[Value] = set()
        # Values that the nodes of the plan make, or that are fed.
        self.made: set[Value] = set()

    def write(self) -> str:
        for i, value in enumerate(self.feeds):
            self.names[value] = f"f{i}"
        parameters = ["observe"] * self.observed + [f"f{i}" for i in range(len(self.feeds))]
        self.lines.append(f"def step({', '.join(parameters)}):")
        if self.partial:
            skipped = [self._name(value) for value in self.fetches if value not in self.feeds and guard_of(value)]
            self.lines.extend(f"    {name} = None" for name in skipped)
        borrows = any(node is not None and node.notes["native"].borrows for node in self.native.values())
        if borrows:
            # What its programs take for the step.
            self._line(f"{_ARENAS} = {{}}")
            self.constants["give_back"] = give_back
        if _computes_with_numpy(self._calls(self.nodes)):
            # Overflow and division by zero give what they give in tensors, without NumPy's warnings.
            self.constants.update(vars(scalar_functions), np=np)
            self._line("with np.errstate(all='ignore'):")
            self.depth += 1
        asked = [] if self.partial else [pred for value in self.fetches for pred, _ in guard_of(value)]
        self._block(self.nodes, [*self.fetches, *asked])
        if borrows:
            self._line(f"give_back({_ARENAS})")
        returned = ", ".join(self._fetch(value, i) for i, value in enumerate(self.fetches))
        self._line(f"return ({returned}{',' if len(self.fetches) == 1 else ''})")
        return "\n".join(self.lines) + "\n"

    def _block(self, nodes: Sequence[Node], results: Sequence[Value]) -> None:
        """Writes nodes in order, forgetting each value after its last use unless it is among the results."""
        whole, nodes = nodes is self.nodes, self._calls(nodes)
        last_uses = _last_uses(nodes)
        self.used.update(last_uses)
        self.used.update(results)
        if self.watched:
            self.used.update(value for node in nodes for value in node.outputs)
        if self.threaded:
            self.wanted.update(wanted_threads(nodes))
        kept = set(results)
        made = {value for node in nodes for value in node.outputs}
        if whole:
            made.update(self.feeds)
            self.made = made
        dying: dict[int, list[Value]] = {}
        for value, position in last_uses.items():
            if value in made and value not in kept and value.bound is UNBOUND:
                dying.setdefault(position, []).append(value)
        for position, node in enumerate(nodes):
            self._node(node)
            done = dying.get(position)
            if done:
                self._forget(done)
        self._enter(())

    def _calls(self, nodes: Sequence[Node]) -> Sequence[Node]:
        """The nodes that get lines: a native region as the one node that stands for it."""
        if not self.native:
            return nodes
        calls = (self.native.get(node, node) for node in nodes)
        return list(dict.fromkeys(node for node in calls if node is not None))

    def _forget(self, values: list[Value]) -> None:
        plain = []
        for value in values:
            name = self.names.get(value)
            if name is None or name in self.constants:
                continue
            if value.node.guard or self.guard or value.node.decl.role is Role.SWITCH:
                # A name that only one branch has set cannot be deleted, but it can be set.
                self._line(f"{name} = None")
            else:
                plain.append(name)
        if plain:
            self._line(f"del {', '.join(plain)}")

    def _line(self, text: str, node: Node | None = None) -> None:
        self.lines.append("    " * (len(self.branches) + self.depth) + text)
        if node is not None:
            self.line_nodes[len(self.lines)] = node

    def _enter(self, guard: Guard) -> None:
        """Closes and opens `if` blocks until exactly `guard` holds."""
        if guard == self.guard:
            return
        self.threads = None
        wanted = _statements(guard, _MAX_DEPTH - self.depth)
        common = 0
        while common < min(len(wanted), len(self.branches)) and wanted[common] == self.branches[common]:
            common += 1
        if len(self.branches) > common and self.lines[-1].rstrip().endswith(":"):
            self._line("pass")
        del self.branches[common:]
        for branch in wanted[common:]:
            self._line(f"if {self._test(branch)}:")
            self.branches.append(branch)
        self.guard = guard

    def _test(self, guard: Guard) -> str:
        return " and ".join(f"{'' if taken else 'not '}{self._predicate(pred)}" for pred, taken in guard)

    def _predicate(self, value: Value) -> str:
        """A predicate as an expression, which fails where it is no scalar."""
        name = self._name(value)
        if value.dims == () or value.scalar or value.bound is not UNBOUND:
            return name
        check = f"scalar_{name}"
        if check not in self.constants:
            switch = next(
                (node for node in self.nodes if node.decl.role is Role.SWITCH and node.inputs[1] is value), value.node
            )
            self.constants[check] = scalar_check(value.node, switch)
        return f"{check}({name})"

    def _name(self, value: Value) -> str:
        name = self.names.get(value)
        if name is None:
            name = self.names[value] = f"v{len(self.names)}"
            if value.bound is not UNBOUND:
                name = self.names[value] = f"c{len(self.names)}"
                self.constants[name] = value.bound
        return name

    def _as(self, value: Value, scalar: bool) -> str:
        """The value as a NumPy scalar or as a tensor; only constants are both."""
        if not scalar or value.bound is UNBOUND or value.constant is None:
            return self._name(value)
        name = self.scalar_names.get(value)
        if name is None:
            name = self.scalar_names[value] = f"s{len(self.scalar_names)}"
            self.constants[name] = value.constant.reshape(())[()]
        return name

    def _fetch(self, value: Value, position: int) -> str:
        if self.partial:
            return self._name(value)
        if is_never_taken(value) or (value.bound is UNBOUND and value not in self.made):
            self.constants["no_value"] = _no_value
            return f"no_value({position})"
        name = self._name(value)
        text = self._dereferenced(value, name) if value.dtype._is_ref_dtype else name
        guard = guard_of(value)
        if not guard:
            return text
        self.constants["no_value"] = _no_value
        return f"{text} if {self._test(guard)} else no_value({position})"

    def _dereferenced(self, value: Value, name: str) -> str:
        if value.dtype.base_dtype.name != "string" or isinstance(value.bound, VariableBuffer):
            return f"{name}.read()"
        reader = f"referred_{len(self.constants)}"
        self.constants[reader] = Reference(value).read
        return f"{reader}({name})"

    def _node(self, node: Node) -> None:
        if node.decl.binding_rule is not None:
            return
        if node.type == "Identity" and node.outputs[0] not in self.used:
            # The pivot of a branch, there only for control edges to say in which branch something lies.
            return
        self._enter(node.guard)
        if node.decl.role is Role.SWITCH:
            for value in node.outputs:
                if value in self.used:
                    self._line(f"{self._name(value)} = {self._as(node.inputs[0], value.scalar)}", node)
            self._watch(node)
            return
        if node.decl.role is Role.MERGE:
            self._merge(node)
            self._watch(node)
            return
        if node.region is not None:
            self._loop(node, node.region)
            self._watch(node)
            return
        if node.template is not None:
            self._scalar(node, node.template)
            return
        if node.type == NATIVE_REGION:
            self._native_region(node)
            return
        in_place = self.reused.get(node)
        kernel = node.kernel() if in_place is None else in_place.kernel
        if kernel is None:
            return
        position = len(self.numbered)
        self.numbered.append(node)
        name = f"{_identifier(node.type)}_{position}"
        self.constants[name] = kernel
        kept = input_positions(node, node.decl.kept_inputs)
        scalar = bool(node.outputs) and node.outputs[0].scalar
        arguments = [
            self._owned(value, scalar) if i in kept else self._name(value) for i, value in enumerate(node.inputs)
        ]
        call = f"{name}({', '.join(arguments)})"
        comment = f"{_comment(node)}{' (in place)' if in_place else ''}"
        declared = node.decl.signature.outputs
        is_single = len(declared) == 1 and declared[0].number_attr is None and declared[0].type_list_attr is None
        if node in self.copied:
            call = f"{call}.clone()" if is_single else f"[value.clone() for value in {call}]"
        if is_single:
            value = node.outputs[0]
            target = f"{self._name(value)} = " if value in self.used else ""
        elif any(value in self.used for value in node.outputs):
            targets = [self._name(value) if value in self.used else "_" for value in node.outputs]
            target = f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = "
        else:
            target = ""
        self._choose_threads(node)
        if self.observed:
            self._line(f"observe({position}, False)", node)
        self._line(target + call + comment, node)
        if self.observed:
            self._line(f"observe({position}, True, {self._outputs(node)})", node)

    def _native_region(self, node: Node) -> None:
        region = node.notes["native"]
        members: Sequence[Node] = region.members
        name = f"region_{len(self.numbered)}"
        self.numbered += members
        self.constants[name] = node.kernel()
        targets = []
        for value in node.outputs:
            buffer = variable_of(value)
            if buffer is None:
                targets.append(self._name(value))
            else:
                self.names[value] = f"variable_{len(self.constants)}"
                self.constants[self.names[value]] = buffer
        target = f"{', '.join(targets)}{',' if len(targets) == 1 else ''} = " if targets else ""
        first, last = (_comment(each).removeprefix("  # ") for each in (region.nodes[0], region.nodes[-1]))
        names = first if len(members) == 1 else f"{first} ... {last}"
        given = [_ARENAS] if region.borrows else []
        call = f"{name}({', '.join([*given, *map(self._name, node.inputs)])})"
        self._line(f"{target}{call}  # {len(members)} op{'s' * (len(members) > 1)}: {names}", node)

    def _watch(self, node: Node) -> None:
        """Shows a watcher what was made without a call."""
        if self.watched:
            self.numbered.append(node)
            self._line(f"observe({len(self.numbered) - 1}, True, {self._outputs(node)})", node)

    def _outputs(self, node: Node) -> str:
        names = [self._name(value) if value in self.used else "None" for value in node.outputs]
        if node.decl.role is Role.SWITCH and node.inputs[1].constant is None:
            taken = self._predicate(node.inputs[1])
            names = [f"{names[0]} if not {taken} else None", f"{names[1]} if {taken} else None"]
        return f"({', '.join(names)}{',' if len(names) == 1 else ''})"

    def _choose_threads(self, node: Node) -> None:
        """Switches between one thread and all where the next call wants the other."""
        wanted = self.wanted.get(node)
        if wanted is not None and wanted != self.threads:
            self._switch_threads(wanted)

    def _switch_threads(self, wanted: int) -> None:
        self._line("all_threads()" if wanted == ALL else "one_thread()")
        self.constants.update(all_threads=all_threads, one_thread=one_thread)
        self.threads = wanted

    def _scalar(self, node: Node, template: str) -> None:
        """A node that computes NumPy scalars: one expression."""
        value = node.outputs[0]
        if value not in self.used:
            return
        expression = template.format(*[self._as(item, True) for item in node.inputs])
        self._line(f"{self._name(value)} = {expression}{_comment(node)}", node)

    def _owned(self, value: Value, scalar: bool = False) -> str:
        """The value as an expression whose memory no later write to a variable changes."""
        name = self._as(value, scalar)
        if value.scalar or value.dtype._is_ref_dtype or not is_live(value):
            return name
        return f"{name}.copy()" if value.dtype.name == "string" else f"{name}.clone()"

    def _loop(self, node: Node, region: Region) -> None:
        """A loop: the variables' first values, then the iterations as a `while` statement."""
        count = len(region.variables)
        threads_all = _has_heavy(region.nodes)
        if not threads_all and self.threads != ONE and thread_count() > 1:
            self._switch_threads(ONE)
        for inner, outer in zip(region.captures, node.inputs[count:], strict=True):
            self.names[inner] = self._name(outer)
        for variable, first in zip(region.variables, node.inputs, strict=False):
            self._line(f"{self._name(variable)} = {self._owned(first, variable.scalar)}", node)
        if self.loops >= _MAX_LOOPS:
            raise errors.UnimplementedError(
                None, None, f"Loop {node.name} lies in more than {_MAX_LOOPS} others, which Python does not allow."
            )
        around = self.guard, self.branches, self.depth
        self._line(f"while True:{_comment(node)}")
        self.guard, self.branches, self.depth = (), [], self.depth + len(self.branches) + 1
        self.loops += 1
        waits = node.runtime.waits
        self.constants.update(ending=waits.ending, limits=limits, check=waits.check)
        self._line("if ending or limits: check()", node)
        if threads_all:
            self.threads = None
        early = [inner for inner in region.nodes if inner.early]
        body = [inner for inner in region.nodes if not inner.early]
        later = _last_uses(body)
        self._block(early, [*region.results, *later])
        self._line(f"if not {self._as(region.predicate, True)}: break", node)
        self._block(body, region.results)
        pairs = [(v, n) for v, n in zip(region.variables, region.nexts, strict=True) if v is not n]
        if pairs:
            targets = ", ".join(self._name(variable) for variable, _ in pairs)
            self._line(
                f"{targets} = {', '.join(self._owned(following, variable.scalar) for variable, following in pairs)}",
                node,
            )
            large = [n for _, n in pairs if n.dims != () and n.bound is UNBOUND and n.node in body]
            large = [n for n in dict.fromkeys(large) if n not in region.exits and n.node.guard == ()]
            if large:
                # Otherwise two generations of each would be alive.
                self._line(f"del {', '.join(self._name(value) for value in large)}")
        if self.lines[-1].rstrip().endswith(": break") and not pairs and not body:
            self._line("pass")
        self.guard, self.branches, self.depth = around
        self.loops -= 1
        if threads_all:
            self.threads = None
        for output, leaving in zip(node.outputs, region.exits, strict=True):
            if output in self.used:
                self._line(f"{self._name(output)} = {self._owned(leaving, output.scalar)}", node)

    def _merge(self, node: Node) -> None:
        """A Merge takes the input whose branch ran."""
        out, index = node.outputs
        depth = len(node.guard)
        expressions: list[tuple[str, str, int]] = []
        scalar = out.scalar
        for i in live_inputs(node):
            value = node.inputs[i]
            expressions.append((self._as(value, scalar), self._test(guard_of(value)[depth:]), i))
        for target, pick in ((out, 0), (index, 1)):
            if target not in self.used:
                continue
            *first, last = expressions
            text = last[0] if pick == 0 else f"_index({last[2]})"
            for name, condition, i in reversed(first):
                chosen = name if pick == 0 else f"_index({i})"
                text = f"{chosen} if {condition} else {text}" if condition else chosen
            if pick == 1:
                self.constants["_index"] = lambda i: torch.tensor(i, dtype=torch.int32)
            self._line(f"{self._name(target)} = {text}{_comment(node)}", node)
