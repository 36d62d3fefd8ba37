"""What a native region runs by: its program, and the same nodes as a plain function for when the program does not serve."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.buffers import VariableBuffer, replacements, written
from headrace.core.errors import InternalError, OpError
from headrace.native.program import Builder, Output, OutputKind, Program, RegionFailure, Unsupported
from headrace.plan.emit import emit
from headrace.plan.failures import FAILURES, as_op_error
from headrace.plan.handles import variable_of
from headrace.plan.ir import UNBOUND, Node, Value, input_positions
from headrace.plan.native_arenas import Arenas, arena_of
from headrace.plan.native_branches import in_order, in_sequence, nodes_within, with_reads, writes_variables
from headrace.plan.native_loops import Lowering
from headrace.plan.values import to_torch

if TYPE_CHECKING:
    from headrace.core.native import NativeBuilder
    from headrace.core.typing import Kernel
    from headrace.plan.branches import Guard


# The nodes of a region with the reads of variables, and for those that another region computes the node that stands for it.
InParts = Callable[[], tuple[Sequence[Node], Mapping[Node, Node | None]]]


class NativeRegion:
    """The nodes of a region as one callable.

    Args:
        nodes: the nodes that it computes, in order.
        reads: the reads of whole variables that it does by itself.
        inputs: the values that it is given.
        outputs: the values that leave it, with the form in which they do.
        copied: the nodes whose value is copied.
        guard: the branches in which it runs.
        inside: for nodes in its loops that a region computes, where the loops run as Python, the node that stands for it.
        in_parts: gives the same for its own nodes, where branches run as Python; None where there are none.

    Attributes:
        members: the nodes with those of loops instead of the loops.
        files: for each file name of a plan's source, the node of each line: the plain function's are added.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        reads: Sequence[Node],
        inputs: Sequence[Value],
        outputs: Sequence[tuple[Value, OutputKind]],
        copied: Set[Node],
        guard: Guard,
        inside: Mapping[Node, Node | None],
        in_parts: InParts | None = None,
    ) -> None:
        self.nodes, self.reads, self.inputs, self.outputs = tuple(nodes), tuple(reads), tuple(inputs), tuple(outputs)
        self._copied, self._guard, self._inside, self._in_parts = copied, guard, inside, in_parts
        self.files: dict[str, dict[int, Node]] = {}
        within = [each for node in (*reads, *nodes) for each in nodes_within(node)]
        self.members = [
            each for node in nodes for each in nodes_within(node) if each.region is None and not each.decl.binding_rule
        ]
        buffers = [variable_of(value) for node in within for value in node.inputs]
        self._buffers = tuple(dict.fromkeys(buffer for buffer in buffers if buffer is not None))
        changed = [
            variable_of(node.inputs[i]) for node in self.members for i in input_positions(node, node.decl.writes_state)
        ]
        self._written = tuple(dict.fromkeys(buffer for buffer in changed if buffer is not None))
        # References that are handed on, such as by a Switch; the plain function takes them as well.
        every = (*reads, *nodes)
        own = {value for node in every for value in node.outputs}
        taken = [value for node in every for value in node.inputs if value.bound is UNBOUND and value not in own]
        self._references = tuple(dict.fromkeys(value for value in taken if value not in inputs and variable_of(value)))
        locked = {b for node in self.members for b in _locked_by(node)}
        drawn = {node.decl.draws_from(node) for node in self.members if node.decl.draws_from is not None}
        # In one order everywhere, so that two steps never wait for each other.
        self._locks = sorted((buffer.lock for buffer in locked), key=id)
        self._streams: list[Any] = sorted(drawn, key=id)
        self._programs: dict[tuple[int, ...], tuple[Program, _Recorder] | None] = {}
        self._plain: Kernel | None = None
        self._building = threading.Lock()

    @property
    def borrows(self) -> bool:
        """Whether results of it lie in memory that serves again after the step."""
        return any(kind == "tensor" for _, kind in self.outputs)

    def give_memory(self, value: Value) -> None:
        """Lets an output have memory of its own, which nothing else will use. To be said before the first run."""
        self.outputs = tuple(
            (each, "fresh" if each is value and kind == "tensor" else kind) for each, kind in self.outputs
        )

    # ---- running

    def kernel(self) -> Kernel:
        """What the plan's function calls: takes the arenas of the step if it borrows, then the inputs; returns a tuple."""
        ranks_known = None not in [value.dims for value in self.inputs] + [buffer.dims for buffer in self._buffers]
        run = self._fast_kernel() if ranks_known else self._run
        return run if self.borrows else functools.partial(run, {})

    def _fast_kernel(self) -> Kernel:
        """As `_run`, where one program serves whatever is given."""
        buffers, region, changes, borrows = self._buffers, self, bool(self._written), self.borrows
        program: Program | None = None
        execute: Callable[..., tuple[Any, ...] | None] | None = None
        # One object, as other threads run this too.
        kept: tuple[int, tuple[Any, ...]] = (-1, ())

        def run(arenas: Arenas, *arguments: Any) -> tuple[Any, ...]:
            nonlocal program, execute, kept
            seen, tensors = kept
            if seen != replacements.latest:
                # First: what changes from here on is looked up again.
                latest = replacements.latest
                tensors = tuple([buffer.value for buffer in buffers])
                if any(tensor is None for tensor in tensors):
                    return region._run_plainly(arguments)
                kept = latest, tensors
            if program is None or execute is None:
                made = region._program(arguments)
                if made is None:
                    return region._run_plainly(arguments)
                program, execute = made[0], region._executor(made[0])
            try:
                results = execute(arguments, tensors, arena_of(program, arenas) if borrows else None)
            except RegionFailure as failure:
                return region._failed(failure, arguments)
            if results is None:
                return region._run_plainly(arguments)
            if changes:
                written(region._written)
            return results

        return run

    def _run(self, arenas: Arenas, *arguments: Any) -> tuple[Any, ...]:
        tensors = tuple([buffer.value for buffer in self._buffers])
        made = None if any(tensor is None for tensor in tensors) else self._program(arguments)
        if made is not None:
            arena = arena_of(made[0], arenas) if self.borrows else None
            try:
                results = self._executor(made[0])(arguments, tensors, arena)
            except RegionFailure as failure:
                return self._failed(failure, arguments)
            if results is not None:
                written(self._written)
                return results
        return self._run_plainly(arguments)

    def _executor(self, program: Program) -> Callable[..., tuple[Any, ...] | None]:
        """What runs the program: alone, where others may update its variables or draw from its streams."""
        return functools.partial(self._run_alone, program) if self._locks or self._streams else program.run

    def _run_alone(
        self, program: Program, arguments: Sequence[Any], tensors: Sequence[Any], arena: object
    ) -> tuple[Any, ...] | None:
        for lock in self._locks:
            lock.acquire()
        places = [stream.lend() for stream in self._streams]
        results: tuple[Any, ...] | None = None
        try:
            results = program.run(arguments, (*tensors, *places), arena)
        finally:
            for stream in self._streams:
                # Who does the same in another way draws the same.
                stream.take_back(results is not None)
            for lock in self._locks:
                lock.release()
        return results

    # ---- the program

    def _program(self, arguments: Sequence[Any]) -> tuple[Program, _Recorder] | None:
        """The program for inputs of these ranks, made when first asked for; None where there is none.

        There is none either where an input is None: what another region gives, as Python, of a branch that was not taken.
        """
        if any(argument is None for argument in arguments):
            return None
        ranks = (*(_rank(argument) for argument in arguments), *(buffer.value.ndim for buffer in self._buffers))
        if ranks not in self._programs:
            with self._building:
                if ranks not in self._programs:
                    self._programs[ranks] = self._built(ranks)
        return self._programs[ranks]

    def _built(self, ranks: Sequence[int]) -> tuple[Program, _Recorder] | None:
        builder = _Recorder()
        try:
            ids: dict[Value, int] = {}
            for value, rank in zip(self.inputs, ranks, strict=False):
                ids[value] = builder.input(value.dtype.name, (None,) * rank)
            memory = {
                buffer: builder.buffer(buffer.dtype.name, (None,) * rank)
                for buffer, rank in zip(self._buffers, ranks[len(self.inputs) :], strict=True)
            }
            builder.streams = {stream: builder.builder.stream(stream) for stream in self._streams}
            for node in self.reads:
                ids[node.outputs[0]] = memory[_variable(node.inputs[0])]
            lowering = Lowering(builder, ids, memory, self._copied, builder.begin)
            for each in in_order(self.nodes, self._guard):
                builder.node = each if isinstance(each, Node) else each.first()
                lowering.lower(each, self._guard)
            outputs = [Output(ids[value], kind) for value, kind in self.outputs]
            builder.ids = ids
            program = builder.builder.build(outputs, builder.notes)
            loops = [node for node in self.nodes if node.region is not None]
            if loops:
                program.set_check(_check_of(loops[0]))
            return program, builder
        except Unsupported:
            return None

    def dump(self) -> str:
        """The programs there are, instruction by instruction."""
        made = [each for each in self._programs.values() if each is not None]
        return "\n".join(program.dump() for program, _ in made) if made else "(not built yet)"

    # ---- without it

    def _run_plainly(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """As the program, by torch calls: they compute or raise as they do without regions."""
        if self._plain is None:
            self._plain = self._emitted()
        tensors = map(_as_tensor, self.inputs, arguments)
        results = self._plain(*tensors, *map(_variable, self._references))
        return tuple(
            _own(result) if kind != "tensor" else result
            for result, (_, kind) in zip(results, self.outputs, strict=True)
        )

    def _emitted(self) -> Kernel:
        given, wanted = [*self.inputs, *self._references], [value for value, _ in self.outputs]
        nodes: Sequence[Node] = with_reads(self.nodes, self.reads)
        inside = self._inside
        if self._in_parts is not None:
            nodes, inside = self._in_parts()
        emitted = emit(nodes, given, wanted, self._copied, partial=True, guard=self._guard, native=inside)
        for node in inside.values():
            if node is not None:
                node.notes["native"].files = self.files
        self.files[emitted.filename] = emitted.lines
        return emitted.function

    def _failed(self, failure: RegionFailure, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Raises what the node of the failing instruction raises, given the same values.

        Raises:
            OpError: of that node.
        """
        made = self._program(arguments)
        assert made is not None
        program, recorder = made
        node = program.notes[failure.instruction]
        assert isinstance(node, Node)
        nodes = in_sequence(self.nodes, self._guard)
        if failure.undone or not any(map(writes_variables, nodes[: nodes.index(node)])):
            # Nothing has been written yet.
            return self._run_plainly(arguments)
        written(self._written)
        given = [self._given(value, failure, recorder, arguments) for value in node.inputs]
        try:
            kernel = node.kernel()
            assert kernel is not None
            kernel(*given)
        except FAILURES as error:
            raise as_op_error(error, node) from None
        raise InternalError(
            None, None, f"Native instructions of {node.name} failed, and its kernel does not: {failure}"
        )

    def _given(self, value: Value, failure: RegionFailure, recorder: _Recorder, arguments: Sequence[Any]) -> Any:
        """What a failing node was given."""
        buffer = variable_of(value)
        if value.bound is not UNBOUND or buffer is not None:
            return value.bound if value.bound is not UNBOUND else buffer
        if value in self.inputs:
            return _as_tensor(value, arguments[self.inputs.index(value)])
        for node in self.reads:
            if value is node.outputs[0]:
                return _read(node)
        return torch.from_numpy(np.array(failure.value(recorder.ids[value])))


class _Recorder:
    """A builder that notes whose instructions it is given.

    Attributes:
        builder: the builder.
        node: the node that is being lowered.
        notes: the node of each instruction.
        ids: the number of each value of the plan.
        streams: the place of each random stream.
    """

    def __init__(self) -> None:
        self.builder = Builder()
        self.node: Node | None = None
        self.notes: list[object] = []
        self.ids: Mapping[Value, int] = {}
        self.streams: Mapping[object, int] = {}
        self.input, self.buffer, self.constant = self.builder.input, self.builder.buffer, self.builder.constant
        self.dim, self.contents, self.dtype = self.builder.dim, self.builder.contents, self.builder.dtype

    def begin(self, node: Node) -> None:
        """From here on the instructions are those of a node."""
        self.node = node

    def stream(self, stream: object) -> int:
        """The place of a random stream."""
        return self.streams[stream]

    def apply(
        self, name: str, inputs: Sequence[int], ints: Sequence[int] = (), floats: Sequence[float] = ()
    ) -> tuple[int, ...]:
        """Adds an instruction."""
        made = self.builder.apply(name, inputs, ints, floats)
        self.notes.append(self.node)
        return made


if TYPE_CHECKING:
    _is_builder: type[NativeBuilder] = _Recorder


def _check_of(loop: Node) -> Callable[[], None]:
    """What ends a region's loops with their step: raises what is to be said of one of them."""
    check = loop.runtime.waits.check

    def checked() -> None:
        try:
            check()
        except OpError as error:
            raise as_op_error(error, loop) from None

    return checked


def _variable(value: Value) -> VariableBuffer:
    found = variable_of(value)
    assert found is not None
    return found


def _locked_by(node: Node) -> list[VariableBuffer]:
    """The variables whose locks the node's kernel would hold."""
    positions = input_positions(node, node.decl.writes_state)
    resource = any(node.inputs[i].dtype.name == "resource" for i in positions)
    asked = bool(node.attrs.get("use_locking")) and node.type != "Assign"
    if not (resource or asked) or node.type == "AssignVariableOp":
        return []
    return [_variable(node.inputs[i]) for i in positions]


def _rank(argument: Any) -> int:
    rank: int = getattr(argument, "ndim", 0)
    return rank


def _as_tensor(value: Value, argument: Any) -> Any:
    if argument is None or isinstance(argument, torch.Tensor) or value.scalar:
        return argument
    return to_torch(np.asarray(argument), value.dtype)


def _own(result: Any) -> Any:
    return result.clone() if isinstance(result, torch.Tensor) else result


def _read(node: Node) -> Any:
    kernel: Callable[..., Any] | None = node.kernel()
    assert kernel is not None
    try:
        return kernel(_variable(node.inputs[0]))
    except FAILURES as error:
        raise as_op_error(error, node) from None
