"""What a dataset variant carries, and how its elements are asked for.

A dataset is a description. `start` begins an iteration and returns a function that gives the next element at each call, a
tuple with the value of each component, and None at the end and ever after. An error leaves the function usable: the next
call gives what follows the element that failed.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import os
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.eager import executing_eagerly
from headrace.core.graph_functions import Function, attr_function, known_of
from headrace.core.registry import OpDecl, op
from headrace.devices import pool
from headrace.kernels.data.auto_sharding import reads_files
from headrace.kernels.data.components import check_arguments
from headrace.kernels.data.rowwise import batched
from headrace.kernels.ranks import Rank, check_rank

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import NodeView, OpView


Element = tuple[Any, ...]
Next = Callable[[], "Element | None"]

INFINITE = -1
UNKNOWN = -2

ELEMENTS = "output_types: list(type) >= 1, output_shapes: list(shape) >= 1"
_CPU = torch.device("cpu")
# The functions of these say themselves when there is no more.
_ENDED_BY_FUNCTIONS = frozenset({"GeneratorDataset", "ReduceDataset"})


class Iteration:
    """What the parts of one iterator share.

    Args:
        submit: runs calls of functions that go on beside it, none of which waits for another.

    Attributes:
        closed: whether it has been given up: work that goes on beside it should end.
        submit: as given.
    """

    def __init__(self, submit: Callable[[Callable[[], None]], None] = pool.submit) -> None:
        self.closed = False
        self.submit = submit
        self._closing: dict[Callable[[], Any], None] = {}
        self._conditions: list[threading.Condition] = []

    def when_closed(self, callback: Callable[[], Any]) -> None:
        """Calls `callback` when the iterator is given up."""
        self._closing[callback] = None

    def forget(self, callback: Callable[[], Any]) -> None:
        """Does not call `callback` any more."""
        self._closing.pop(callback, None)

    def part(self, threads: pool.Pool | None = None) -> Iteration:
        """A part of it, which may be given up before it and is with it.

        Args:
            threads: those that call functions, if not the same.
        """
        part = Iteration(self.submit if threads is None else threads.submit)
        self.when_closed(part.close)
        part.when_closed(lambda: self.forget(part.close))
        return part

    def wakes(self, changed: threading.Condition) -> None:
        """Has those that wait for `changed` look again when the iterator is given up."""
        self._conditions.append(changed)

    def wait(self, changed: threading.Condition) -> None:
        """Waits, with `changed` held, until something has changed.

        Raises:
            CancelledError: if the iterator has been given up.
        """
        self.check()
        changed.wait()

    def check(self) -> None:
        """Ends what asks for one element after the other and may find none: sources without an end call it now and then.

        Raises:
            CancelledError: if the iterator has been given up.
        """
        if self.closed:
            raise errors.CancelledError(None, None, "Iterator was cancelled")

    def close(self) -> None:
        """Gives the iterator up."""
        self.closed = True
        conditions, self._conditions = self._conditions, []
        for changed in conditions:
            with changed:
                changed.notify_all()
        callbacks, self._closing = self._closing, {}
        for callback in callbacks:
            with contextlib.suppress(errors.OpError):
                callback()


class Dataset:
    """A dataset as kernels pass it on.

    Attributes:
        inputs: the datasets it is made of.
        passes_shards: whether the parts of its inputs for several workers make up parts of it.
        is_shuffle: whether it does nothing but shuffle.
        opens_files: whether it reads the files that the elements of its input name.
    """

    inputs: list[Dataset]
    passes_shards = False
    is_shuffle = False
    opens_files = False

    def __init__(self, *inputs: Dataset) -> None:
        self.inputs = [dataset_of(each) for each in inputs]

    def start(self, iteration: Iteration) -> Next:
        """Begins an iteration, by itself or as a part of another dataset's."""
        raise NotImplementedError

    def cardinality(self) -> int:
        """The number of elements, INFINITE or UNKNOWN."""
        return UNKNOWN

    def renew_streams(self) -> None:
        """Has its own streams of random numbers begin anew."""
        for name, value in list(vars(self).items()):
            if isinstance(value, Drawing):
                setattr(self, name, value.renewed())

    def draws(self) -> bool:
        """Whether it has streams of random numbers that go on from one iteration to the next."""
        return any(isinstance(value, Drawing) for value in vars(self).values())

    def over(self, inputs: list[Dataset]) -> Dataset:
        """A dataset that does with other inputs what this one does with its own."""
        changed = copy.copy(self)
        changed.inputs = inputs
        return changed

    def twin(self, inputs: list[Dataset]) -> Dataset:
        """A dataset like it over inputs of its own, and with streams of random numbers of its own, at their beginnings."""
        made = self.over(inputs)
        made.renew_streams()
        return made

    def make_sloppy(self) -> None:
        """Lets the order depend on what is ready first, where elements are worked on at once."""

    def rows_of(self) -> tuple[Element, Dataset] | None:
        """Tensors and a dataset of the numbers of those rows of them that are the elements; None if they are no rows.

        Who puts many elements together need not cut the rows off one by one then.
        """
        return None


def dataset_of(value: object) -> Dataset:
    """A value that has to be a dataset.

    Raises:
        InvalidArgumentError: if it is something else, as it may be in a graph from elsewhere.
    """
    if not isinstance(value, Dataset):
        raise errors.InvalidArgumentError(None, None, "Tensor must be a Dataset object.")
    return value


class Choosing(Dataset):
    """A dataset of elements of its input, whatever they are."""

    passes_shards = True

    def rows_of(self) -> tuple[Element, Dataset] | None:
        found = self.inputs[0].rows_of()
        if found is None:
            return None
        return found[0], self.over([found[1]])


class Passing(Choosing):
    """A dataset with the elements of its input."""

    def start(self, iteration: Iteration) -> Next:
        return self.inputs[0].start(iteration)

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def dataset_op(op_type: str, signature: str, *, stateful: bool = False) -> OpDecl:
    """Declares an op that makes a dataset; `{}` in the signature stands for the attributes that describe elements."""
    decl = op(op_type, signature.format(ELEMENTS), stateful=stateful)
    ranks = _ranks_of_inputs(decl)
    decl.named_scalars = _named_scalars(decl)

    def shape_rule(op: OpView) -> list[Any]:
        for i, rank in ranks.items():
            check_rank(op.inputs[i].dims, rank)
        return [()] * len(op.outputs)

    decl.shape_rule = shape_rule
    decl.remembered()
    # Datasets are described and iterated on the host.
    decl.host_inputs = frozenset(arg.name for arg in decl.signature.inputs)
    decl.host_outputs = True
    return decl


_SINGLE = frozenset(
    """
    batch_size drop_remainder buffer_size seed seed2 count size shift stride num_shards index start stop step
    driver_name data_source_name query header_bytes record_bytes footer_bytes compression_type
    window_size window_shift window_stride filename
    """.split()  # noqa: SIM905 (a table of names reads better than quotes)
)
# What only kernels look at.
_SINGLE_FOR_KERNELS = frozenset(
    "cycle_length block_length num_parallel_calls sloppy buffer_output_elements prefetch_input_elements".split()  # noqa: SIM905 (likewise)
)
# Ops whose shape functions look behind lists of tensors too.
_LOOKING_BEHIND_LISTS = frozenset(["MapAndBatchDataset", "ExperimentalMapAndBatchDataset"])


# What may be one or several.
_SEVERAL = frozenset(["filenames", "patterns"])


def _ranks_of_inputs(decl: OpDecl) -> dict[int, Rank]:
    """Position to rank of inputs that must have one, as far as no list of tensors comes before them."""
    alone = itertools.takewhile(lambda arg: not (arg.number_attr or arg.type_list_attr), decl.signature.inputs)
    ranks: dict[int, Rank] = {}
    for i, arg in enumerate(alone):
        if arg.name in _SINGLE:
            ranks[i] = 0
        elif arg.name in _SEVERAL:
            ranks[i] = (0, 1)
    if decl.type in _LOOKING_BEHIND_LISTS:
        ranks.update((i, 0) for i in _named_scalars(decl) if i < 0)
    return ranks


def _named_scalars(decl: OpDecl) -> dict[int, str]:
    """Place to name of inputs that kernels take as scalars; those behind lists of tensors counted from the end."""
    names = _SINGLE | _SINGLE_FOR_KERNELS
    arguments = decl.signature.inputs
    found: dict[int, str] = {}
    for step, ordered in ((1, arguments), (-1, arguments[::-1])):
        for i, arg in enumerate(ordered):
            if arg.number_attr or arg.type_list_attr:
                break
            place = i if step > 0 else -1 - i
            if arg.name in names and not (step < 0 and len(arguments) + place in found):
                found[place] = arg.name
    return dict(sorted(found.items(), key=lambda item: (item[0] < 0, item[0])))


def made_by(*decls: OpDecl) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Attaches one kernel rule to several declarations."""

    def attach(rule: Callable[[Any], Any]) -> Callable[[Any], Any]:
        for decl in decls:
            decl.kernel_rule = rule
        return rule

    return attach


def _never_ending(node: NodeView, call: Callable[..., Element]) -> Callable[..., Element]:
    """`call`, whose OutOfRangeError does not count as the end of the dataset, unless the dataset lets functions end it."""
    if node.type in _ENDED_BY_FUNCTIONS or node.attrs.get("preserve_cardinality") is False:
        return call
    kept = node.attrs.get("preserve_cardinality", False)

    def checked(*element: Any) -> Element:
        try:
            return call(*element)
        except errors.OutOfRangeError as error:
            if kept:
                text = f"Function invocation produced OutOfRangeError: {error.message}"
                raise errors.InvalidArgumentError(None, None, text) from error
            text = (
                f"The function of {node.type} returned `OutOfRange`, as only the end of a dataset does: {error.message}"
            )
            raise errors.InternalError(None, None, text) from error

    return checked


class BoundFunction:
    """A function of a dataset, planned at its first call, with the values it captured.

    Args:
        node: the planned dataset op.
        attr: the attribute that names the function.
        start: the position among the op's inputs of the first captured value.
        item: which one, where the attribute is a list.

    Attributes:
        slow_calls: how many calls, one after the other, took long enough for a thread of their own.
        much_slower_calls: how many of the last of them took far longer than that.
        is_slow: whether calls have been found worth threads.
        runs_python: whether it calls Python functions of the program.
        reads_files: whether it opens files, or makes datasets that do.
    """

    slow_calls = 0
    much_slower_calls = 0
    is_slow = False

    def __init__(self, node: NodeView, attr: str, start: int, count: int) -> None:
        self.function = attr_function(node, attr)
        self._node, self._attr = node, attr
        first = len(self.function.inputs) - count
        self._known = {first + i: value for i, value in known_of(node.inputs[start : start + count]).items()}
        self._planned: Callable[..., Any] | None = None
        self._arguments, self._types = max(0, first), self.function.input_types
        self._draws = self.function.stateful
        self.runs_python = any(op.decl.runs_python for op in self.function.operations)
        self.reads_files = reads_files(self.function)
        self._batched: Any = _NOT_TRIED

    def with_captured(self, captured: Sequence[Any]) -> Callable[..., Element]:
        """The function of an element's components."""
        check_arguments(captured, self._types[self._arguments :])
        types = self._types[: self._arguments]
        if self._draws:
            # Streams of random numbers begin with each iterator; all else is shared.
            return Drawing(lambda: _with_rest(self._bound(self.function, self._attr), captured, types))
        if self._planned is None:
            self._planned = self._bound(self.function, self._attr)
        return _with_rest(self._planned, captured, types)

    def of_batches(self, captured: Sequence[Any]) -> Callable[..., Element] | None:
        """The function of the components of a batch, None where there is none."""
        if self._batched is _NOT_TRIED:
            made = batched(self.function, self._arguments)
            self._batched = None if made is None else self._bound(made, f"{self._attr}/batched")
        return None if self._batched is None else _with_rest(self._batched, captured, self._types[: self._arguments])

    def _bound(self, function: Function, scope: str) -> Callable[..., Element]:
        node = self._node
        try:
            call: Callable[..., Element] = node.runtime.bind(
                function, f"{node.name}/{scope}", self._known, _CPU, fresh=True
            )
        except errors.OpError as error:
            if not executing_eagerly():
                raise
            # A dataset is described while executing eagerly; what is wrong with its functions is told where elements are.
            return _failing(error)
        return _never_ending(node, call)


class Drawing:
    """A function with streams of random numbers of its own.

    Args:
        begin: makes the function, with its streams at their beginnings.
    """

    __slots__ = ("_begin", "_call")

    def __init__(self, begin: Callable[[], Callable[..., Element]]) -> None:
        self._begin, self._call = begin, begin()

    def __call__(self, *values: Any) -> Element:
        return self._call(*values)

    def renewed(self) -> Drawing:
        """The function as it was at first."""
        return Drawing(self._begin)


_NOT_TRIED: Any = object()


def _failing(error: errors.OpError) -> Callable[..., Element]:
    def fail(*_: Any) -> Element:
        raise error.with_traceback(None)

    return fail


def _with_rest(call: Callable[..., Element], captured: Sequence[Any], types: Sequence[DType]) -> Callable[..., Element]:
    """`call` with values of such types, and what was captured after them."""
    rest = tuple(captured)

    def checked(*values: Any) -> Element:
        check_arguments(values, types)
        return call(*values, *rest)

    return checked


def captured_count(node: NodeView, attr: str = "Targuments") -> int:
    """How many values the function of a dataset op captures."""
    return len(node.attrs[attr])


def integer(value: torch.Tensor) -> int:
    """A scalar argument of a dataset as a Python integer."""
    return int(value)


def text(value: np.ndarray) -> str:
    """A scalar string argument, which may be a path that is no UTF-8."""
    item = value[()] if isinstance(value, np.ndarray) else value
    return os.fsdecode(item) if isinstance(item, bytes) else str(item)


def scalar(value: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """A number as a component."""
    return torch.tensor(value, dtype=dtype)


def strings(value: bytes) -> np.ndarray:
    """A scalar string as a component."""
    array = np.empty((), object)
    array[()] = value
    return array


def invalid(message: str) -> errors.InvalidArgumentError:
    """The run-time error of an argument."""
    return errors.InvalidArgumentError(None, None, message)


def ended() -> None:
    """The next element of a dataset that has come to its end."""
    return None
