"""Iterators: what a session keeps of an iteration, and the ops that begin it, take from it and find it again."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.dtypes import DType, as_dtype
from headrace.core.functions import attr_function
from headrace.core.registry import op, raw
from headrace.core.shapes import compatible_dims
from headrace.core.waiting import Call, Waits, has_deadline
from headrace.ops.data import pool
from headrace.ops.data.base import ELEMENTS, Dataset, Element, Iteration, Next, invalid, strings
from headrace.ops.data.handles import Handles

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
            self._next = dataset.start(self._iteration)

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
            self.dataset.reset()
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


def _kept(node: Any) -> Iterator:
    attrs = node.attrs
    shared = attrs.get("shared_name") or node.name
    types, dims = attrs["output_types"], attrs["output_shapes"]
    runtime = node.runtime

    def make() -> Iterator:
        made = Iterator(shared, types, dims)
        runtime.waits.also_closes(made)
        return made

    found: Iterator = runtime.object(("iterator", attrs.get("container", ""), shared), make)
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


class _Late(Call):
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
    element = waits.wait(_Late(iterator, waits))
    return element


@get_next_op.kernel
@get_next_sync_op.kernel
def get_next_kernel(node):
    waits = node.runtime.waits

    def get_next(iterator):
        element = _next_in_time(iterator, waits)
        if element is None:
            raise errors.OutOfRangeError(None, None, "End of sequence")
        return element

    return get_next


to_string_op = op("IteratorToStringHandle", "resource_handle: resource -> string_handle: string", stateful=True)
to_string_op.on_host(outputs=True).shape(lambda op: [()])


@to_string_op.kernel
def to_string_kernel(node):
    return Handles(node, "iterator").tell


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
            raise invalid(f"Data type mismatch at component {i}: expected {_c_name(a)} but got {_c_name(b)}.")


def check_shapes(expected: list[Any], got: list[Any]) -> None:
    """Raises InvalidArgumentError if the shapes cannot be those expected."""
    for i, (a, b) in enumerate(zip(expected, got, strict=True)):
        if not compatible_dims(a, b):
            raise invalid(f"Incompatible shapes at component {i}: expected {_dims(a)} but got {_dims(b)}.")


def _c_name(dtype: DType) -> str:
    name = dtype.base_dtype.name
    return {"float32": "float", "float64": "double", "float16": "half"}.get(name, name)


def _dims(dims: Any) -> str:
    if dims is None:
        return "<unknown>"
    return f"[{','.join('?' if d is None else str(d) for d in dims)}]"


device_op = op("IteratorGetDevice", "resource: resource -> device: string", stateful=True)
device_op.on_host(outputs=True).shape(lambda op: [()])


@device_op.kernel
def device_kernel(node):
    return lambda iterator: strings(b"/job:localhost/replica:0/task:0/device:CPU:0")


class _State:
    """Where an iterator was: how many elements it had given."""

    def __init__(self, taken: int) -> None:
        self.taken = taken


serialize_op = op("SerializeIterator", "resource_handle: resource -> serialized: variant", stateful=True)
serialize_op.on_host(outputs=True).shape(lambda op: [(1,)])
deserialize_op = op("DeserializeIterator", "resource_handle: resource, serialized: variant ->", stateful=True)
deserialize_op.shape(lambda op: [])


@serialize_op.kernel
def serialize_kernel(node):
    def serialize(iterator):
        out = np.empty(1, object)
        out[0] = _State(iterator.taken)
        return out

    return serialize


@deserialize_op.kernel
def deserialize_kernel(node):
    return lambda iterator, state: iterator.skip_to(state.reshape(-1)[0].taken)


# The place of an iterator as a number, which checkpoints can keep.
position_op = op("IteratorPosition", "resource_handle: resource -> position: int64", stateful=True)
position_op.on_host(outputs=True).not_differentiable().shape(lambda op: [()])
seek_op = op("IteratorSeek", "resource_handle: resource, position: int64 ->", stateful=True)
seek_op.not_differentiable().shape(lambda op: [])


@position_op.kernel
def position_kernel(node):
    return lambda iterator: torch.tensor(iterator.taken, dtype=torch.int64)


@seek_op.kernel
def seek_kernel(node):
    return lambda iterator, position: iterator.skip_to(int(position))


# ---- optionals ----


class Optional:
    """An element, or none."""

    # As an element of a list it is a scalar.
    shape = ()

    def __init__(self, element: Element | None) -> None:
        self.element = element

    def clone(self) -> Optional:
        """Itself: it never changes, so a copy for keeping is not needed."""
        return self

    def zeros_like(self) -> Optional:
        """Zeros in the place of its components, if it has any."""
        if self.element is None:
            return self
        return Optional(tuple(_zeros_like(component) for component in self.element))


def _zeros_like(component: Any) -> Any:
    if isinstance(component, torch.Tensor):
        return torch.zeros_like(component)
    return component.zeros_like() if hasattr(component, "zeros_like") else component


get_next_optional_op = op(
    "IteratorGetNextAsOptional", "iterator: resource, *, " + ELEMENTS + " -> optional: variant", stateful=True
)
optional_from_value_op = op(
    "OptionalFromValue", "components: *Toutput_types, *, Toutput_types: list(type) >= 1 -> optional: variant"
)
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
            if not _is_of(component, dtype.base_dtype):
                raise invalid(
                    f"The given optional does not match the expected type for component {i}. Expected: {_c_name(dtype)}. "
                    f"Actual: {_type_text(component)}."
                )
            shape = tuple(getattr(component, "shape", ()))
            if not compatible_dims(shape, dims[i]):
                raise invalid(
                    f"The given optional does not match the expected shape for component {i}. Expected: {_dims(dims[i])}. "
                    f"Actual: {_dims(shape)}."
                )
        return element

    return get


def _optional(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise invalid("Input to OptionalHasValue must be an OptionalVariant object.")
    return value


def _is_of(component: Any, dtype: DType) -> bool:
    """Whether the value of a component is of a type."""
    if isinstance(component, torch.Tensor):
        return component.dtype is dtype.torch
    if isinstance(component, np.generic):
        return dtype.torch is not None
    if isinstance(component, np.ndarray) and not component.size:
        return dtype.torch is None
    return dtype.name == _type_text(component)


def _type_text(component: Any) -> str:
    if isinstance(component, torch.Tensor):
        return _c_name(as_dtype(component.dtype))
    first = component.item(0) if isinstance(component, np.ndarray) and component.size else component
    return "string" if isinstance(first, (bytes, str)) else "variant"
