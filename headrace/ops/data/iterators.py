"""Iterators: what a session keeps of an iteration, and the ops that begin it, take from it and find it again."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.cases import Made, body, made, result
from headrace.core.dims import compatible_dims
from headrace.core.dtypes import DType, dtype_text
from headrace.core.graph_functions import attr_function
from headrace.core.registry import op, raw
from headrace.core.waiting import Call, Waits, has_deadline
from headrace.devices import pool
from headrace.kernels.data.base import ELEMENTS, Dataset, Element, Iteration, Next, invalid, strings
from headrace.kernels.data.case_inputs import INT64_SCALARS, initialized, numbers
from headrace.kernels.data.components import check_element, is_of, type_text
from headrace.kernels.data.handles import Handles
from headrace.kernels.data.optional import Optional
from headrace.kernels.data.places import begin_anew, iterate
from headrace.kernels.queues.handles import shared_state

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_numbers = itertools.count(1)


class Iterator:
    """One iterator of a session.

    Args:
        name: what errors call it.
        types, dims: of the components.
    """

    is_resource = False

    def __init__(self, name: str, types: list[DType], dims: list[Any]) -> None:
        self.name, self.types, self.dims = name, types, dims
        self.lock = threading.RLock()
        self.handle = f"headrace-iterator-{next(_numbers)}:{name}".encode()
        self.dataset: Dataset | None = None
        self.taken = 0
        self.factory: Any = None
        # Calls of `next` whose steps did not wait for them to end.
        self.late: deque[Any] = deque()
        self._next: Next | None = None
        self._iteration = Iteration()

    def begin(self, dataset: Dataset) -> None:
        """Begins to iterate over `dataset`, giving up what went before."""
        with self.lock:
            self._iteration.close()
            self._iteration = Iteration()
            self.dataset = dataset
            self.taken = 0
            self.late.clear()
            self._next = iterate(dataset, self._iteration)

    def next(self) -> Element | None:
        """The next element, None at the end.

        Raises:
            FailedPreconditionError: if the iteration has not begun.
        """
        with self.lock:
            if self._next is None:
                if self.factory is None:
                    raise errors.FailedPreconditionError(
                        None,
                        None,
                        "GetNext() failed because the iterator has not been initialized. Ensure that you have run the "
                        "initializer operation for this iterator before getting the next element.",
                    )
                self.begin(self.factory())
            assert self._next is not None
            element = self._next()
            if element is None:
                return None
            self.taken += 1
            check_element(element, self.types)
            return tuple(element)

    def skip_to(self, count: int) -> None:
        """Begins anew and passes over the first `count` elements."""
        with self.lock:
            if self.dataset is None:
                if self.factory is None:
                    raise errors.FailedPreconditionError(
                        None, None, "DeserializeIterator: run the initializer of the iterator before restoring it."
                    )
                self.dataset = self.factory()
            begin_anew(self.dataset)
            self.begin(self.dataset)
            for _ in range(count):
                # A count from a file may be of more elements than there are.
                if self.next() is None:
                    break

    def close(self) -> None:
        """Gives the iteration up."""
        self._iteration.close()

    def __del__(self) -> None:
        self._iteration.close()


_ATTRS = "shared_name: string, container: string, " + ELEMENTS
iterator_op = op("Iterator", f"*, {_ATTRS} -> handle: resource", stateful=True)
iterator_v2_op = op("IteratorV2", f"*, {_ATTRS} -> handle: resource", stateful=True)
one_shot_iterator_op = op(
    "OneShotIterator",
    f"*, dataset_factory: func, {ELEMENTS}, container='', shared_name='' -> handle: resource",
    stateful=True,
)
anonymous_iterator_op = op("AnonymousIterator", f"*, {ELEMENTS} -> handle: resource", stateful=True)
for _decl in (iterator_op, iterator_v2_op, one_shot_iterator_op, anonymous_iterator_op):
    _decl.shape(lambda op: [()])


def _kept(node: NodeView) -> Iterator:
    attrs = node.attrs
    types, dims = attrs["output_types"], attrs["output_shapes"]
    runtime = node.runtime

    def make(_: str) -> Iterator:
        made = Iterator(attrs.get("shared_name") or node.name, types, dims)
        runtime.waits.also_closes(made)
        return made

    found: Iterator = shared_state(node, "iterator", make)
    return found


@iterator_op.binding
@iterator_v2_op.binding
def iterator_binding(node):
    return [_kept(node)]


@anonymous_iterator_op.binding
def anonymous_iterator_binding(node):
    # Whoever has the handle keeps it.
    return [Iterator(node.name, node.attrs["output_types"], node.attrs["output_shapes"])]


@one_shot_iterator_op.binding
def one_shot_iterator_binding(node):
    iterator = _kept(node)
    if iterator.factory is None:
        function = attr_function(node, "dataset_factory")
        runtime, name = node.runtime, node.name

        def factory():
            return runtime.bind(function, f"{name}/dataset_factory")()[0]

        iterator.factory = factory
    return [iterator]


make_iterator_op = op("MakeIterator", "dataset: variant, iterator: resource ->", stateful=True)
make_iterator_op.shape(lambda op: [])


@make_iterator_op.kernel
def make_iterator_kernel(node):
    return lambda dataset, iterator: iterator.begin(dataset)


get_next_op = op(
    "IteratorGetNext", "iterator: resource, *, " + ELEMENTS + " -> components: *output_types", stateful=True
)
get_next_sync_op = op(
    "IteratorGetNextSync", "iterator: resource, *, " + ELEMENTS + " -> components: *output_types", stateful=True
)
for _decl in (get_next_op, get_next_sync_op):
    _decl.aliases().on_host(outputs=True)
    _decl.shape(lambda op: list(op.attrs["output_shapes"]))


class _PendingElement(Call):
    """The making of the next element, which goes on when the step that waits for it gives up."""

    __slots__ = ("iterator", "waits")

    def __init__(self, iterator: Iterator, waits: Waits) -> None:
        self.iterator, self.waits = iterator, waits
        super().__init__(iterator.next, (), pool.submit)

    def cancel(self, error: Exception | None = None) -> bool:
        """Ends the wait, not the call: what it makes is for the step that asks next, if there can be one."""
        if self.waits.closed:
            return super().cancel(error)
        self.iterator.late.append(self)
        return False


def _next_in_time(iterator: Iterator, waits: Waits) -> Element | None:
    """The next element; what a step with a deadline gave up waiting for comes first."""
    element: Element | None
    if iterator.late:
        try:
            late = iterator.late.popleft()
        except IndexError:  # Another step was quicker.
            return _next_in_time(iterator, waits)
        element = waits.wait(late)
        return element
    if not has_deadline():
        return iterator.next()
    element = waits.wait(_PendingElement(iterator, waits))
    return element


@get_next_op.kernel
@get_next_sync_op.kernel
def get_next_kernel(node):
    waits, types = node.runtime.waits, node.attrs["output_types"]

    def get_next(iterator):
        if iterator.types is not types:
            check_types(types, iterator.types)
        element = _next_in_time(iterator, waits)
        if element is None:
            raise errors.OutOfRangeError(None, None, "End of sequence")
        return element

    return get_next


to_string_op = op("IteratorToStringHandle", "resource_handle: resource -> string_handle: string", stateful=True)
to_string_op.on_host(outputs=True).shape(lambda op: [()])


@to_string_op.kernel
def to_string_kernel(node):
    return Handles(node, "iterator").issue


_FROM_STRING = (
    "string_handle: string, *, output_types: list(type) = [], output_shapes: list(shape) = [] -> "
    "resource_handle: resource"
)
from_string_op = op("IteratorFromStringHandle", _FROM_STRING, stateful=True)
from_string_v2_op = op("IteratorFromStringHandleV2", _FROM_STRING, stateful=True)
for _decl in (from_string_op, from_string_v2_op):
    _decl.on_host("string_handle", outputs=True)
    _decl.shape(lambda op: [()])


@from_string_op.kernel
@from_string_v2_op.kernel
def from_string_kernel(node):
    types, dims = node.attrs["output_types"], node.attrs["output_shapes"]
    handles = Handles(node, "iterator")

    def find(handle):
        iterator = handles.find(handle)
        if types:
            check_types(types, iterator.types)
        if dims:
            check_shapes(dims, iterator.dims)
        return iterator

    return find


def check_types(expected: list[DType], got: list[DType]) -> None:
    """Raises InvalidArgumentError if the element types are not those expected."""
    if len(expected) != len(got):
        raise invalid(f"Number of components does not match: expected {len(expected)} types but got {len(got)}.")
    for i, (a, b) in enumerate(zip(expected, got, strict=True)):
        if a.base_dtype is not b.base_dtype:
            raise invalid(f"Data type mismatch at component {i}: expected {dtype_text(a)} but got {dtype_text(b)}.")


def check_shapes(expected: list[Any], got: list[Any]) -> None:
    """Raises InvalidArgumentError if the shapes cannot be those expected."""
    for i, (a, b) in enumerate(zip(expected, got, strict=True)):
        if not compatible_dims(a, b):
            raise invalid(f"Incompatible shapes at component {i}: expected {_dims(a)} but got {_dims(b)}.")


def _dims(dims: Any) -> str:
    if dims is None:
        return "<unknown>"
    return f"[{','.join('?' if d is None else str(d) for d in dims)}]"


device_op = op("IteratorGetDevice", "resource: resource -> device: string", stateful=True)
device_op.on_host(outputs=True).shape(lambda op: [()])


@device_op.kernel
def device_kernel(node):
    return lambda iterator: strings(node.runtime.device_names()[0].encode())


class _State:
    """Where an iterator was: how many elements it had given."""

    shape = ()

    def __init__(self, taken: int) -> None:
        self.taken = taken


serialize_op = op("SerializeIterator", "resource_handle: resource -> serialized: variant", stateful=True)
serialize_op.on_host(outputs=True).shape(lambda op: [()])
deserialize_op = op("DeserializeIterator", "resource_handle: resource, serialized: variant ->", stateful=True)
deserialize_op.shape(lambda op: [])


@serialize_op.kernel
def serialize_kernel(node):
    return lambda iterator: _State(iterator.taken)


@deserialize_op.kernel
def deserialize_kernel(node):
    def deserialize(iterator, state):
        if not isinstance(state, _State):
            raise invalid("DeserializeIterator: expected what SerializeIterator gives")
        iterator.skip_to(state.taken)

    return deserialize


# The place of an iterator as a number, which checkpoints can keep.
position_op = op("IteratorPosition", "resource_handle: resource -> position: int64", stateful=True)
position_op.own("where an iterator stands: TensorFlow's checkpoints have a variant that only it can read")
position_op.on_host(outputs=True).not_differentiable().shape(lambda op: [()])
seek_op = op("IteratorSeek", "resource_handle: resource, position: int64 ->", stateful=True)
seek_op.own("it goes to such a position").not_differentiable().shape(lambda op: [])


@position_op.kernel
def position_kernel(node):
    return lambda iterator: torch.tensor(iterator.taken, dtype=torch.int64)


@seek_op.kernel
def seek_kernel(node):
    return lambda iterator, position: iterator.skip_to(int(position))


# ---- optionals ----


get_next_optional_op = op(
    "IteratorGetNextAsOptional", "iterator: resource, *, " + ELEMENTS + " -> optional: variant", stateful=True
)
_FROM_VALUE = "components: *Toutput_types, *, Toutput_types: list(type) >= 1 -> optional: variant"
optional_from_value_op = op("OptionalFromValue", _FROM_VALUE).keeps("components").aliases()
optional_none_op = op("OptionalNone", "-> optional: variant")
optional_has_value_op = op("OptionalHasValue", "optional: variant -> has_value: bool")
optional_get_value_op = op(
    "OptionalGetValue", "optional: variant, *, " + ELEMENTS + " -> components: *output_types"
).aliases()
for _decl in (get_next_optional_op, optional_from_value_op, optional_none_op, optional_has_value_op):
    _decl.on_host(outputs=True).shape(lambda op: [()])
optional_get_value_op.on_host(outputs=True).shape(lambda op: list(op.attrs["output_shapes"]))


@get_next_optional_op.kernel
def get_next_optional_kernel(node):
    waits = node.runtime.waits
    return lambda iterator: Optional(_next_in_time(iterator, waits))


@optional_from_value_op.kernel
def optional_from_value_kernel(node):
    return lambda *components: Optional(components)


@optional_from_value_op.gradient
def optional_from_value_gradient(op, grad):
    return raw.OptionalGetValue(
        grad, output_types=[t.dtype for t in op.inputs], output_shapes=[t.dims for t in op.inputs]
    )


@optional_get_value_op.gradient
def optional_get_value_gradient(op, *grads):
    return [raw.OptionalFromValue(list(grads))]


@optional_none_op.kernel
def optional_none_kernel(node):
    return lambda: Optional(None)


@optional_has_value_op.kernel
def optional_has_value_kernel(node):
    return lambda optional: torch.tensor(_optional(optional).element is not None)


@optional_get_value_op.kernel
def optional_get_value_kernel(node):
    types, dims = node.attrs["output_types"], node.attrs["output_shapes"]

    def get(optional):
        element = _optional(optional).element
        if element is None:
            raise invalid("The given optional does not have a value.")
        # It may come from a file.
        if len(element) != len(types):
            raise invalid(f"The given optional has {len(element)} components, expected {len(types)}")
        for i, (component, dtype) in enumerate(zip(element, types, strict=True)):
            if not is_of(component, dtype.base_dtype):
                raise invalid(
                    f"The given optional does not match the expected type for component {i}. Expected: {dtype_text(dtype)}. "
                    f"Actual: {type_text(component)}."
                )
            shape = tuple(getattr(component, "shape", ()))
            if not compatible_dims(shape, dims[i]):
                raise invalid(
                    f"The given optional does not match the expected shape for component {i}. Expected: {_dims(dims[i])}. "
                    f"Actual: {_dims(shape)}."
                )
        return element

    return get


def _optional(value: Optional) -> Optional:
    if not isinstance(value, Optional):
        raise invalid("Input to OptionalHasValue must be an OptionalVariant object.")
    return value


# ---- examples ----


def _next(iterator: Made, *, control: Sequence[Made] = ()) -> Made:
    return made("IteratorGetNext", iterator, control=control, **INT64_SCALARS)


_NAMED = {"shared_name": "iterator", "container": "", **INT64_SCALARS}
_IT = made("IteratorV2", **_NAMED)
for _decl in (iterator_op, iterator_v2_op):
    _decl.accepts(after=[initialized(numbers(2), result), _next(result), _next(result), _next(result)], **_NAMED)
one_shot_iterator_op.accepts(
    dataset_factory=body(lambda: raw.RangeDataset(1, 3, 1, **INT64_SCALARS)),
    after=[_next(result), _next(result), _next(result)],
    **INT64_SCALARS,
)
anonymous_iterator_op.accepts(after=[_next(result, control=[initialized(numbers(1), result)])], **INT64_SCALARS)
make_iterator_op.accepts(numbers(2), _IT, after=[_next(_IT), _next(_IT), _next(_IT)])
for _decl in (get_next_op, get_next_sync_op):
    _decl.accepts(_IT, before=[initialized(numbers(2), _IT)], **INT64_SCALARS)
    _decl.rejects(_IT, before=[initialized(numbers(0), _IT)], error=errors.OutOfRangeError, **INT64_SCALARS)
    # Under a name of its own: whatever has initialized "iterator" in the same process has not initialized this one.
    _fresh = made("IteratorV2", **{**_NAMED, "shared_name": f"not initialized for {_decl.type}"})
    _decl.rejects(_fresh, error=errors.FailedPreconditionError, **INT64_SCALARS)
to_string_op.accepts(_IT, varies="it is the name of a resource")
for _decl in (from_string_op, from_string_v2_op):
    _handle = made("IteratorToStringHandle", _IT)
    _decl.accepts(_handle, before=[initialized(numbers(2), _IT)], after=[_next(result)], **INT64_SCALARS)
    _decl.rejects(_handle, output_types=["string"], output_shapes=[[]], error=errors.InvalidArgumentError)
    _decl.rejects(b"no handle", error=errors.InvalidArgumentError)
device_op.accepts(_IT)
_HALFWAY = [initialized(numbers(3), _IT), _next(_IT)]
serialize_op.accepts(_IT, before=_HALFWAY, after=[made("Shape", result)])
deserialize_op.accepts(_IT, made("SerializeIterator", _IT), before=_HALFWAY, after=[_next(_IT), _next(_IT), _next(_IT)])
position_op.accepts(_IT, before=_HALFWAY, gives=1)
seek_op.accepts(_IT, np.int64(2), before=_HALFWAY, after=[_next(_IT)], gives=2)
get_next_optional_op.accepts(_IT, before=_HALFWAY, after=[made("OptionalHasValue", result)], **INT64_SCALARS)
optional_from_value_op.accepts(
    [[2], np.int32(5)],
    after=[made("OptionalGetValue", result, output_types=["float32", "int32"], output_shapes=[[None], []])],
)
optional_none_op.accepts(after=[made("OptionalHasValue", result)])
optional_has_value_op.accepts(made("OptionalNone")).accepts(made("OptionalFromValue", [[2]]))
_VECTOR = {"output_types": ["float32"], "output_shapes": [[2]]}
optional_get_value_op.accepts(made("OptionalFromValue", [[2]]), **_VECTOR)
optional_get_value_op.rejects(made("OptionalFromValue", [[3]]), error=errors.InvalidArgumentError, **_VECTOR)
optional_get_value_op.rejects(made("OptionalNone"), error=errors.InvalidArgumentError, **_VECTOR)
