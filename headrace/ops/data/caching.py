"""Datasets that keep their elements: in memory for the next pass, or in files for the next run.

The files are TensorFlow's own: a tensor bundle `NAME.index` and `NAME.data-00000-of-00001`, with a tensor for each component
of each element under the key "element_component". A cache written by TensorFlow 1.15 is read here, and one written here there.
`NAME_0.lockfile` says that somebody is writing; the bundle gets its name when the last element is in it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.files.checkpoint.bundle import index_name
from headrace.files.checkpoint.reader import local_prefix
from headrace.files.checkpoint.stream import BundleStreamReader, BundleStreamWriter, Place
from headrace.files.checkpoint.table import damaged
from headrace.files.failures import file_error
from headrace.files.tensor_messages import Kind
from headrace.kernels.data.base import Dataset, Element, Iteration, Next, dataset_op, text
from headrace.kernels.data.case_inputs import INT64_SCALARS, numbers
from headrace.kernels.data.stored_forms import kernel_form
from headrace.kernels.data.stored_values import Components, earlier_format, is_pickle, start_of
from headrace.kernels.data.writing import Output, WritingPass

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor


_LEGACY_SUFFIX = ".headrace-cache"
# TensorFlow's bound: with more of them keys would no longer be in order.
_MAX_ELEMENTS = 10_000_000
_MAX_REMARK_LENGTH = 1000


class CachedInMemory(Dataset):
    """The elements of its input, made once and kept from the first complete pass on."""

    passes_shards = True

    def __init__(self, source: Dataset) -> None:
        super().__init__(source)
        self.kept: list[Element] | None = None

    def over(self, inputs: list[Dataset]) -> Dataset:
        return CachedInMemory(*inputs)

    def start(self, iteration: Iteration) -> Next:
        if self.kept is not None:
            return _from(iter(self.kept))
        upstream = self.inputs[0].start(iteration)
        seen: list[Element] = []
        over = False

        def next_element() -> Element | None:
            nonlocal over
            if over:
                return None
            element = upstream()
            if element is None:
                over = True
                if self.kept is None:
                    self.kept = seen
                return None
            seen.append(element)
            return element

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def _from(elements: Iterator[Element]) -> Next:
    return lambda: next(elements, None)


class CachedInFile(Dataset):
    """The elements of its input, written to files in the first complete pass and read from them ever after.

    Args:
        source: the dataset.
        path: what the names of the files begin with.
        components: of the elements.
    """

    passes_shards = True

    def __init__(self, source: Dataset, path: str, components: Components) -> None:
        super().__init__(source)
        self.path, self.components = path, components

    def start(self, iteration: Iteration) -> Next:
        begun: Next | None = None

        def next_element() -> Element | None:
            nonlocal begun
            if begun is None:
                begun = self._begin(iteration)
            return begun()

        return next_element

    def _begin(self, iteration: Iteration) -> Next:
        if os.path.exists(index_name(self.path)):
            return _Reading(self.path, self.components).next
        if os.path.exists(self.path + _LEGACY_SUFFIX):
            raise earlier_format(self.path + _LEGACY_SUFFIX)
        lock = _Lock(self.path)
        try:
            if os.path.exists(index_name(self.path)):
                # Somebody finished it since we looked.
                lock.release()
                return _Reading(self.path, self.components).next
            writer = BundleStreamWriter(self.path)
        except errors.OpError:
            lock.release()
            raise
        writing = WritingPass(_Output(writer, lock, self.components), iteration)
        writing.upstream = self.inputs[0].start(iteration)
        return writing.next

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


_ELEMENT = b"%%%dd" % len(str(_MAX_ELEMENTS - 1))


def _endings(components: int) -> list[bytes]:
    """What the keys of the components of an element end with. Their order is that of the numbers."""
    width = len(str(components - 1))
    return [b"_%*d" % (width, i) for i in range(components)]


class _Lock:
    """The file that keeps others from writing the same cache.

    Raises:
        AlreadyExistsError: if somebody writes it now, or died over it. NotFoundError: if there is no such folder.
    """

    def __init__(self, prefix: str) -> None:
        self.path = prefix + "_0.lockfile"
        try:
            descriptor = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            try:
                os.write(descriptor, f"Created at: {int(time.time())}".encode())
            finally:
                os.close(descriptor)
        except FileExistsError:
            raise errors.AlreadyExistsError(
                None,
                None,
                "There appears to be a concurrent caching iterator running - cache lockfile already exists "
                f"('{self.path}'). If you are sure no other running TF computations are using this cache prefix, delete the "
                f"lockfile and re-initialize the iterator. Lockfile contents: {self._remark()}",
            ) from None
        except OSError as error:
            raise file_error(error, self.path) from None

    def _remark(self) -> str:
        return start_of(self.path, _MAX_REMARK_LENGTH).decode("utf-8", "replace")

    def release(self) -> None:
        with contextlib.suppress(OSError):
            os.remove(self.path)


class _Output(Output):
    """A cache that is being written."""

    def __init__(self, writer: BundleStreamWriter, lock: _Lock, components: Components) -> None:
        super().__init__()
        self._writer, self._lock, self._components = writer, lock, components
        self._suffixes = _endings(len(components))
        self._count = 0

    def _write(self, element: Element) -> None:
        components = self._components
        if self._count >= _MAX_ELEMENTS:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Upstream iterator is producing more than {_MAX_ELEMENTS} items, which is more than the cache limit.",
            )
        start = _ELEMENT % self._count
        self._count += 1
        for i, suffix in enumerate(self._suffixes):
            self._writer.add(start + suffix, components.types[i], components.stored(i, element[i]))

    def _complete(self) -> None:
        self._writer.finish()
        self._lock.release()

    def _discard(self) -> None:
        self._writer.abandon()
        self._lock.release()


class _Reading:
    """A pass over a complete cache."""

    def __init__(self, prefix: str, components: Components) -> None:
        self._prefix, self._components = prefix, components
        self._suffixes = _endings(len(components))
        self._count = 0
        index = index_name(prefix)
        if is_pickle(index):
            raise earlier_format(index)
        self._reader = BundleStreamReader(prefix)
        # Those last seen, and found right.
        self._kinds: list[Kind | None] = [None] * len(components)

    def next(self) -> Element | None:
        reader, number = self._reader, self._count
        # All of an element before the first value: after an error the next one is that of the next element.
        places: list[Place] = []
        start = _ELEMENT % number
        for suffix in self._suffixes:
            place = reader.next()
            if place is None and not places:
                return None
            if place is None or place.key != start + suffix:
                found = "the end" if place is None else repr(place.key.decode("utf-8", "replace"))
                raise damaged(
                    index_name(self._prefix),
                    0 if place is None else place.where,
                    f"{found} stands where {(start + suffix).decode()!r} should. Another pipeline may have written it",
                )
            places.append(place)
        self._count += 1
        return tuple([self._value(i, place) for i, place in enumerate(places)])

    def _value(self, index: int, place: Place) -> Any:
        kind = place.kind
        if kind is not self._kinds[index]:
            self._components.check(index, kind.dtype, kind.dims, self._prefix)
            self._kinds[index] = kind
        return kernel_form(kind.dtype, self._reader.value(place))


cache_dataset = dataset_op("CacheDataset", "input_dataset: variant, filename: string, *, {} -> handle: variant")


def _writes(op: Operation, fed: frozenset[Tensor]) -> bool:
    # In memory only where the graph itself says so: what is fed may be any name.
    name = op.inputs[1]
    return name in fed or name.op.type != "Const" or bool(text(name.op.attrs["value"]))


cache_dataset.writes_files(when=_writes)


cache_dataset.accepts(numbers(3), b"", **INT64_SCALARS)
cache_dataset.accepts(numbers(3), b"cache", files={"other": b""}, **INT64_SCALARS)


@cache_dataset.kernel
def cache_dataset_kernel(node):
    components = Components(node.attrs["output_types"], node.attrs["output_shapes"])

    def make(source, filename):
        path = text(filename)
        return CachedInFile(source, local_prefix(path), components) if path else CachedInMemory(source)

    return make
