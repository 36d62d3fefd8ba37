"""The way back over a tape as one plan, for what is recorded again and again: the step of a training loop.

A tape that walks back applies the operations of gradient functions one by one. Where a recording is like earlier ones
(the same operations, of the same attributes, types and shapes, put together in the same way), its gradient functions are
applied once to placeholders in a graph, and the plan of that graph is called from then on. What no gradient needs is not
computed then, and neighbours are fused, as in any plan.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headrace.autodiff.tape import Record, Tape, zeros_for
from headrace.core.composite import IndexedSlices
from headrace.core.defaults import get_default_graph
from headrace.core.eager import EagerTensor, new_operation
from headrace.core.errors import OpError
from headrace.core.graph import Graph
from headrace.core.registry import has_declared_gradient, raw
from headrace.core.tensor import Tensor

# Longer recordings are walked one operation at a time: their plans would take seconds to make.
_MAX_RECORDS = 1_000
# What is counted and kept of recordings before all are forgotten.
_MAX_KEPT = 256
# How often a recording has come when it is planned: to make a plan takes as long as some five walks by it save.
_TIMES = 5


class _Unplannable(Exception):
    """Raised while a walk is traced that has to be done one operation at a time."""


class _Recorded:
    """What tells recordings apart, and the tensors of one.

    Attributes:
        key: equal for recordings of which the gradients are computed alike.
        tensors: all tensors of the recording, each once, and the gradients it starts from.
        numbers: where in `tensors` the one of an id is.
    """

    def __init__(self, key: tuple[Any, ...], tensors: list[Any], numbers: dict[int, int]) -> None:
        self.key = key
        self.tensors = tensors
        self.numbers = numbers


class _Walk:
    """A planned walk.

    Attributes:
        kernel: the plan, to be called with the values of the tensors of a recording.
        types: the types of what it gives.
        results: for each source the number of its gradient among what the plan gives, three numbers for the parts of
            slices (the last -1 if they have no shape), or None.
    """

    def __init__(self, kernel: Any, types: list[Any], results: list[int | tuple[int, int, int] | None]) -> None:
        self.kernel = kernel
        self.types = types
        self.results = results


# By key: how often a recording has come, its walk, or None where it has none.
_known: dict[Any, int | _Walk | None] = {}
_lock = threading.RLock()


def planned_gradient(
    tape: Tape, targets: Sequence[Any], sources: Sequence[Any], starts: Sequence[Any], zeros_where_none: bool
) -> list[Any] | None:
    """What `tape.gradient` gives, by a plan; None if this recording has none, or not yet.

    Args:
        tape: holds the recording.
        targets, sources, starts, zeros_where_none: as of `Tape.gradient`.
    """
    graph: Any = get_default_graph()
    if not graph.is_eager or not graph.may_plan_walks or not 0 < len(tape.records) <= _MAX_RECORDS:
        return None
    recorded = _recorded(tape, targets, sources, starts)
    if recorded is None:
        return None
    try:
        walk = _known.get(recorded.key, 0)
    except TypeError:
        return None
    if walk.__class__ is int:
        walk = _counted(graph, tape, recorded, targets, sources, starts)
    if not isinstance(walk, _Walk):
        return None
    try:
        values = graph.run_walk(walk.kernel, recorded.tensors)
    except OpError:
        # Walked one by one, the operation that fails tells its name.
        return None
    source = graph.source
    made = [EagerTensor(value, dtype, source) for value, dtype in zip(values, walk.types, strict=True)]
    results: list[Any] = []
    for where, of in zip(walk.results, sources, strict=True):
        if where is None:
            results.append(zeros_for(of) if zeros_where_none else None)
        elif where.__class__ is int:
            results.append(made[where])
        else:
            parts, indices, shape = where  # type: ignore[misc]  # no int, so the three of slices
            results.append(IndexedSlices(made[parts], made[indices], None if shape < 0 else made[shape]))
    return results


def _recorded(tape: Tape, targets: Sequence[Any], sources: Sequence[Any], starts: Sequence[Any]) -> _Recorded | None:
    """None for recordings that no plan is made of."""
    watched = tape.watched
    numbers: dict[int, int] = {}
    tensors: list[Any] = []
    key: list[Any] = []
    for record in tape.records:
        op = record.op
        if op is None or op._known_call is None:
            return None
        # It stands for the declaration, the attributes, types and shapes, and the values that are read on the host.
        key.append(op._known_call)
        for tensor in record.inputs:
            number = numbers.get(id(tensor))
            if number is None:
                number = numbers[id(tensor)] = len(tensors)
                tensors.append(tensor)
                key.append(id(tensor) in watched)
            key.append(number)
        for tensor in record.outputs:
            numbers[id(tensor)] = len(tensors)
            tensors.append(tensor)
            key.append(tensor.dims)
    for target, start in zip(targets, starts, strict=True):
        number = numbers.get(id(target))
        if number is None or target._dtype.name == "resource" or not (start is None or start.__class__ is EagerTensor):
            return None
        key.append(number)
        if start is not None:
            tensors.append(start)
            key.append((start._dtype, start.dims))
    key.append(None)
    key.extend([numbers.get(id(source), -1) for source in sources])
    return _Recorded(tuple(key), tensors, numbers)


def _counted(
    graph: Any,
    tape: Tape,
    recorded: _Recorded,
    targets: Sequence[Any],
    sources: Sequence[Any],
    starts: Sequence[Any],
) -> int | _Walk | None:
    """Counts a recording, and plans the walk when it has come often enough."""
    with _lock:
        count = _known.get(recorded.key, 0)
        if not isinstance(count, int):
            return count
        if len(_known) >= _MAX_KEPT:
            _known.clear()
        _known[recorded.key] = count + 1
        if count + 1 < _TIMES:
            return count
        try:
            walk = _traced(graph, tape, recorded, targets, sources, starts)
        except (_Unplannable, OpError, ValueError, TypeError, LookupError, AttributeError, RuntimeError):
            # What cannot be built as a graph is walked one by one, which raises what there is to raise.
            walk = None
        _known[recorded.key] = walk
        return walk


def _traced(
    graph: Any,
    tape: Tape,
    recorded: _Recorded,
    targets: Sequence[Any],
    sources: Sequence[Any],
    starts: Sequence[Any],
) -> _Walk:
    scratch = graph.scratch_graph()
    constants = _constants(tape.records)
    with scratch.as_default():
        stand_ins = [_stand_in(tensor, id(tensor) in constants) for tensor in recorded.tensors]
        replay = Tape(watch_accessed_variables=False)
        of = {old: stand_ins[number] for old, number in recorded.numbers.items()}
        for old, stand_in in of.items():
            if old in tape.watched:
                replay.watch(stand_in)
        replay.records = [_record_of(scratch, record, of) for record in tape.records]
        given = iter(stand_ins[len(recorded.numbers) :])
        known = [source for source in sources if id(source) in of]
        found = replay.gradient(
            [of[id(target)] for target in targets],
            [of[id(source)] for source in known],
            [None if start is None else next(given) for start in starts],
            False,
        )
    by_source = {id(source): gradient for source, gradient in zip(known, found, strict=True)}
    fetches: list[Tensor] = []
    results: list[int | tuple[int, int, int] | None] = []
    for source in sources:
        gradient = by_source.get(id(source))
        if isinstance(gradient, IndexedSlices):
            parts = (gradient.values, gradient.indices, gradient.dense_shape)
            a, b, c = (_number_in(fetches, part) for part in parts)
            results.append((a, b, c))
        else:
            results.append(None if gradient is None else _number_in(fetches, gradient))
    used = _needed(fetches)
    fed = [i for i, stand_in in enumerate(stand_ins) if stand_in in used and stand_in.op.type == "Placeholder"]
    if not fetches:
        raise _Unplannable
    kernel = graph.planned_walk(fetches, [stand_ins[i] for i in fed], fed, len(stand_ins))
    return _Walk(kernel, [fetch._dtype for fetch in fetches], results)


def _stand_in(tensor: EagerTensor, is_constant: bool) -> Tensor:
    dtype = tensor._dtype.base_dtype
    if is_constant:
        made: Tensor = raw.Const(value=np.array(tensor._array()), dtype=dtype)
    else:
        is_handle = dtype.name in ("resource", "variant")
        made = raw.Placeholder(dtype=dtype, shape=None if is_handle else tensor.dims, name="input")
    return made


def _record_of(scratch: Graph, record: Record, of: dict[int, Tensor]) -> Record:
    op = record.op
    if op.decl.signature.calls or not has_declared_gradient(op):
        raise _Unplannable
    inputs = [of[id(tensor)] for tensor in record.inputs]
    made = new_operation(scratch, op.decl, op._name, inputs, op.attrs)
    made._outputs = [of[id(tensor)] for tensor in record.outputs]
    return Record(made, inputs, made._outputs, None)


def _constants(records: Sequence[Record]) -> set[int]:
    """The inputs whose value is part of the known call: what was no tensor, and what is read on the host."""
    found: set[int] = set()
    for record in records:
        call = record.op._known_call
        if call.fixed is not None:
            found.update(
                id(tensor) for tensor, fixed in zip(record.inputs, call.fixed, strict=True) if fixed is not None
            )
        elif len(record.inputs) == len(record.op.decl.signature.inputs):
            for i in record.op.decl.host_positions:
                tensor: Any = record.inputs[i]
                if isinstance(tensor._value, torch.Tensor) and not tensor._dtype.is_floating:
                    found.add(id(tensor))
    return found


def _number_in(fetches: list[Tensor], tensor: Any) -> int:
    if tensor is None:
        return -1
    for i, fetch in enumerate(fetches):
        if fetch is tensor:
            return i
    fetches.append(tensor)
    return len(fetches) - 1


def _needed(fetches: Sequence[Tensor]) -> set[Tensor]:
    """The tensors that fetches are computed from, they among them.

    Raises:
        _Unplannable: if an operation among those does more than compute.
    """
    needed: set[Tensor] = set()
    left = list(fetches)
    while left:
        tensor = left.pop()
        if tensor in needed:
            continue
        needed.add(tensor)
        op = tensor._op
        decl = op.decl
        if decl.signature.calls or decl.writes_state or (decl.stateful and not decl.reads_state):
            raise _Unplannable
        left.extend(op.inputs)
        for before in op.control_inputs:
            left.extend(before.outputs)
    return needed
