"""Datasets that keep their elements: in memory for the next pass, or in files for the next run."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from typing import Any

from headrace.core import errors
from headrace.ops.data.base import Dataset, Element, Iteration, Next, dataset_op, text

_ENDING = ".headrace-cache"


class CachedInMemory(Dataset):
    """The elements of its input, made once and kept from the first complete pass on."""

    def __init__(self, source: Dataset) -> None:
        super().__init__(source)
        self.kept: list[Element] | None = None

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
    """The elements of its input, written to a file in the first complete pass and read from it ever after."""

    def __init__(self, source: Dataset, path: str) -> None:
        super().__init__(source)
        self.path = path

    def start(self, iteration: Iteration) -> Next:
        begun: Next | None = None

        def next_element() -> Element | None:
            nonlocal begun
            if begun is None:
                begun = self._begin(iteration)
            return begun()

        return next_element

    def _begin(self, iteration: Iteration) -> Next:
        finished = self.path + _ENDING
        if os.path.exists(finished):
            return _from(_read(finished))
        lock = self.path + "_0.lockfile"
        try:
            handle = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            raise errors.AlreadyExistsError(
                None,
                None,
                "There appears to be a concurrent caching iterator running - cache lockfile already exists "
                f"('{lock}'). If you are sure no other running TF computations are using this cache prefix, delete the "
                "lockfile and re-initialize the iterator.",
            ) from None
        except OSError as error:
            raise errors.NotFoundError(None, None, f"{lock}; {os.strerror(error.errno or 0)}") from None
        os.close(handle)
        partial = finished + ".part"
        stream: Any = open(partial, "wb")  # noqa: SIM115 -- closed at the end of the pass or with the iterator
        upstream = self.inputs[0].start(iteration)

        def close() -> None:
            nonlocal stream
            if stream is not None:
                stream.close()
                stream = None
                for path in (partial, lock):
                    if os.path.exists(path):
                        os.remove(path)

        iteration.when_closed(close)

        def next_element() -> Element | None:
            nonlocal stream
            if stream is None:
                return None
            element = upstream()
            if element is None:
                stream.close()
                stream = None
                os.replace(partial, finished)
                os.remove(lock)
                return None
            pickle.dump(tuple(_plain(value) for value in element), stream, pickle.HIGHEST_PROTOCOL)
            return element

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def _plain(value: Any) -> Any:
    # A view would be written with all the memory behind it.
    return value.clone() if hasattr(value, "untyped_storage") else value


def _read(path: str) -> Iterator[Element]:
    with open(path, "rb") as stream:
        while True:
            try:
                yield pickle.load(stream)
            except EOFError:
                return
            except (pickle.UnpicklingError, ValueError) as error:
                raise errors.DataLossError(None, None, f"Corrupt cache file {path}: {error}") from None


cache_dataset = dataset_op("CacheDataset", "input_dataset: variant, filename: string, *, {} -> handle: variant")


@cache_dataset.kernel
def cache_dataset_kernel(node):
    def make(source, filename):
        path = text(filename)
        return CachedInFile(source, path) if path else CachedInMemory(source)

    return make
