"""Datasets written to files as they are read, for later passes and runs; and functions of the rows of tensors."""

from __future__ import annotations

import contextlib
import gzip
import os
import pickle
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.registry import op
from headrace.files.checkpoint import atomic
from headrace.ops.data.base import BoundFunction, Dataset, Element, Iteration, Next, dataset_op, invalid, text

_DONE = "snapshot.headrace"


class Snapshot(Dataset):
    """The elements of its input, written to the files of a folder in the first pass and read from there ever after.

    Args:
        source: the dataset.
        read_from, write_to: the folder, as readers and writers see it.
        compressed: whether files are gzipped.
        shard_size: how many bytes a file may have before another is begun.
        expiry: how many seconds after its begin a snapshot that nobody finished is begun anew.
    """

    def __init__(
        self, source: Dataset, read_from: str, write_to: str, compressed: bool, shard_size: int, expiry: float
    ) -> None:
        super().__init__(source)
        self.read_from, self.write_to = read_from, write_to
        self.compressed, self.shard_size, self.expiry = compressed, shard_size, expiry

    def start(self, iteration: Iteration) -> Next:
        done = os.path.join(self.read_from, _DONE)
        if os.path.exists(done):
            elements = self._read(done)
            return lambda: next(elements, None)
        upstream = self.inputs[0].start(iteration)
        if not self._claim():
            # Another iterator writes it now.
            return upstream
        return self._written(upstream, iteration)

    def _claim(self) -> bool:
        os.makedirs(self.write_to, exist_ok=True)
        pending = os.path.join(self.write_to, "pending")
        with contextlib.suppress(FileNotFoundError):
            if time.time() - os.path.getmtime(pending) > self.expiry:
                os.remove(pending)
        try:
            os.close(os.open(pending, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return False
        return True

    def _open(self, path: str, mode: str) -> Any:
        return gzip.open(path, mode) if self.compressed else open(path, mode)

    def _written(self, upstream: Next, iteration: Iteration) -> Next:
        folder = self.write_to
        files = [f"{0:08d}.part"]
        stream: Any = self._open(os.path.join(folder, files[0]), "wb")
        pending = os.path.join(folder, "pending")

        def close() -> None:
            nonlocal stream
            if stream is not None:
                stream.close()
                stream = None
                for name in (*files, "pending"):
                    with contextlib.suppress(FileNotFoundError):
                        os.remove(os.path.join(folder, name))

        iteration.when_closed(close)

        def next_element() -> Element | None:
            nonlocal stream
            if stream is None:
                return upstream()
            element = upstream()
            if element is None:
                stream.close()
                stream = None
                listing = "\n".join(["gzip" if self.compressed else "plain", *files])
                atomic.write(os.path.join(folder, _DONE), listing.encode())
                os.remove(pending)
                return None
            if stream.tell() >= self.shard_size:
                stream.close()
                files.append(f"{len(files):08d}.part")
                stream = self._open(os.path.join(folder, files[-1]), "wb")
            # A view would be written with all the memory behind it.
            values = tuple(value.clone() if isinstance(value, torch.Tensor) else value for value in element)
            pickle.dump(values, stream, pickle.HIGHEST_PROTOCOL)
            return element

        return next_element

    def _read(self, done: str) -> Iterator[Element]:
        with open(done, encoding="utf-8") as listing:
            kind, *files = listing.read().splitlines()
        for name in files:
            path = os.path.join(self.read_from, name)
            with gzip.open(path, "rb") if kind == "gzip" else open(path, "rb") as stream:
                while True:
                    try:
                        yield pickle.load(stream)
                    except EOFError:
                        break
                    except (pickle.UnpicklingError, ValueError) as error:
                        raise errors.DataLossError(None, None, f"Corrupt snapshot {path}: {error}") from None

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


snapshot_dataset = dataset_op(
    "SnapshotDataset",
    "input_dataset: variant, path: string, *, {}, compression='', reader_path_prefix='', writer_path_prefix='', "
    "shard_size_bytes=10737418240, pending_snapshot_expiry_seconds=86400, num_reader_threads=1, reader_buffer_size=1, "
    "num_writer_threads=1, writer_buffer_size=1 -> handle: variant",
)


@snapshot_dataset.kernel
def snapshot_dataset_kernel(node):
    attrs = node.attrs
    compression = _string(attrs["compression"])
    if compression not in ("", "GZIP"):
        raise invalid(f"compression must be either '' or 'GZIP'. But is: {compression}")

    def make(source, path):
        folder = text(path)
        return Snapshot(
            source,
            _string(attrs["reader_path_prefix"]) + folder,
            _string(attrs["writer_path_prefix"]) + folder,
            bool(compression),
            attrs["shard_size_bytes"],
            attrs["pending_snapshot_expiry_seconds"],
        )

    return make


def _string(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


# ---- functions of rows ----

map_defun_op = op(
    "MapDefun",
    "arguments: *Targuments, captured_inputs: *Tcaptured, *, Targuments: list(type) >= 1, Tcaptured: list(type) = [], "
    "output_types: list(type) >= 1, output_shapes: list(shape) >= 1, f: func, max_intra_op_parallelism=1 -> output: "
    "*output_types",
)
map_defun_op.on_host("arguments", "captured_inputs", outputs=True)


@map_defun_op.shape
def map_defun_shape(op):
    rows = None
    for tensor in op.inputs[: len(op.attrs["Targuments"])]:
        if tensor.dims == ():
            raise ValueError("All inputs must have rank at least 1. Input 0 has a rank of 0")
        if tensor.dims is None or tensor.dims[0] is None:
            continue
        if rows not in (None, tensor.dims[0]):
            raise ValueError("All inputs must have the same dimension 0.")
        rows = tensor.dims[0]
    return [None if dims is None else (rows, *dims) for dims in op.attrs["output_shapes"]]


@map_defun_op.kernel
def map_defun_kernel(node):
    count, captured = len(node.attrs["Targuments"]), len(node.attrs["Tcaptured"])
    function = BoundFunction(node, "f", count, captured)
    types, shapes = node.attrs["output_types"], node.attrs["output_shapes"]

    def run(*values):
        call = function.with_captured(values[count:])
        sizes = {len(value) for value in values[:count]}
        if len(sizes) > 1:
            raise invalid("All inputs must have the same dimension 0.")
        rows = sizes.pop()
        results = [call(*[_row(value, i) for value in values[:count]]) for i in range(rows)]
        if not rows:
            return tuple(_empty(dtype, dims) for dtype, dims in zip(types, shapes, strict=True))
        return tuple(_stacked(parts) for parts in zip(*results, strict=True))

    return run


def _row(value: Any, index: int) -> Any:
    return value[index] if isinstance(value, torch.Tensor) else value[index, ...]


def _empty(dtype: Any, dims: Any) -> Any:
    if dims is None or None in dims:
        raise invalid("The shape of what a function makes of no rows is not known.")
    if dtype.name == "string":
        return np.empty((0, *dims), object)
    return torch.empty((0, *dims), dtype=dtype.torch)


def _stacked(parts: tuple[Any, ...]) -> Any:
    first = parts[0]
    if any(part.shape != first.shape for part in parts):
        raise invalid(f"MapDefun outputs must have one shape, but are of shapes {tuple(first.shape)} and others.")
    return torch.stack(parts) if isinstance(first, torch.Tensor) else np.stack(parts)
