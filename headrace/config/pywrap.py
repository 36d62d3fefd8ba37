"""What programs used of TensorFlow's C library: event files, records, statuses, and what the build is."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import bfloat16
from headrace.core.eager import EagerTensor
from headrace.core.tensor import Tensor
from headrace.core.version import VERSION
from headrace.devices.listing import list_local_devices
from headrace.files.events import EventFile
from headrace.files.paths import as_path
from headrace.files.records import TFRecordOptions, TFRecordWriter, tf_record_iterator
from headrace.messages import protos

if TYPE_CHECKING:
    from headrace.core.graph import Graph


TENSOR_HANDLE_KEY = "TensorHandle"

# TF_OK, TF_CANCELLED and so on.
globals().update(
    {f"TF_{name}": code for name, code in vars(errors).items() if name.isupper() and isinstance(code, int)}
)


# What an attribute of an operation holds, by the numbers of TensorFlow's C library.
TF_ATTR_STRING, TF_ATTR_INT, TF_ATTR_FLOAT, TF_ATTR_BOOL, TF_ATTR_TYPE = range(5)
TF_ATTR_SHAPE, TF_ATTR_TENSOR, TF_ATTR_PLACEHOLDER, TF_ATTR_FUNC = range(5, 9)


def TFE_Py_RegisterExceptionClass(cls: Any) -> None:
    """Takes the class of errors that fast calls of TensorFlow's C library raise, which are the calls' own errors here.

    Args:
        cls: a class of exceptions.

    Raises:
        TypeError: if it is none.
    """
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise TypeError(f"TFE_Py_RegisterExceptionClass: cls should be a class of exceptions, got {cls!r}.")


def TF_Version() -> str:
    """The version of TensorFlow whose programs run here."""
    return VERSION


def TFE_Py_TensorShapeSlice(tensors: Sequence[Any], slice_dim: int) -> Tensor:
    """The sizes of eager tensors along one dimension, as an int32 tensor.

    Args:
        tensors: a list or tuple of them.
        slice_dim: the dimension.

    Raises:
        TypeError: for anything else than eager tensors.
        ValueError: if `slice_dim` is negative.
        IndexError: if a tensor has fewer dimensions.
    """
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f'tensors argument must be a list or a tuple. Got "{type(tensors).__name__}"')
    if slice_dim < 0:
        raise ValueError(f"Slice dimension must be non-negative. Got {slice_dim}")
    sizes: list[int] = []
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, EagerTensor):
            raise TypeError(f'Expected a list of EagerTensors but element {i} has type "{type(tensor).__name__}"')
        if slice_dim >= tensor.ndim:
            raise IndexError(
                f"Slice dimension ({slice_dim}) must be smaller than rank of all tensors, but tensor at index {i} has "
                f"rank {tensor.ndim}"
            )
        sizes.append(int(tensor.dims[slice_dim]))
    return convert_to_tensor(np.array(sizes, np.int32))


def TF_TryEvaluateConstant_wrapper(graph: Graph, output: Tensor) -> Any:
    """The value of a tensor that depends on constants only, or None.

    Args:
        graph: the `_c_graph` of its graph.
        output: what its `_as_tf_output()` returns.
    """
    value = constant_value(output)
    return value if value is None else value[()]


class TF_Status:
    """The outcome of a call.

    Attributes:
        code: a code of `tf.errors`; 0 while nothing has failed.
        message: what failed.
    """

    def __init__(self) -> None:
        self.code, self.message = errors.OK, ""

    def set(self, code: int, message: str) -> None:
        """Says that something failed."""
        self.code, self.message = code, message


class ScopedTFStatus:
    """The outcome of a call, as `TF_GetCode` and `TF_Message` take it.

    Attributes:
        status: a `TF_Status`.
    """

    def __init__(self) -> None:
        self.status = TF_Status()


def TF_bfloat16_type() -> Any:
    """The type of NumPy's scalars that `tf.bfloat16` stands for."""
    return bfloat16.as_numpy_dtype


def TF_SetStatus(status: TF_Status, code: int, message: str) -> None:
    """Says that something failed."""
    status.set(code, message)


def TF_GetCode(status: TF_Status) -> int:
    """The code of a status."""
    return status.code


def TF_Message(status: TF_Status) -> str:
    """What a status says."""
    return status.message


@contextlib.contextmanager
def raise_exception_on_not_ok_status() -> Iterator[TF_Status]:
    """A context that gives a status, and raises the error it tells of at its end.

    Raises:
        tf.errors.OpError: the subclass of the status's code.

    Example:
        >>> with raise_exception_on_not_ok_status() as status:
        ...     TF_SetStatus(status, tf.errors.NOT_FOUND, "no such file")
        Traceback (most recent call last):
        headrace.core.errors.NotFoundError: no such file
    """
    status = TF_Status()
    yield status
    if status.code != errors.OK:
        kind: type = errors.exception_type_from_error_code(status.code)
        raise kind(None, None, status.message)


class EventsWriter:
    """Writes an event file whose name begins with a prefix.

    Args:
        file_prefix: path and beginning of the name; ".out.tfevents", the time and the host are put behind it.

    Example:
        >>> writer = EventsWriter(b"events")
        >>> summary = tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)])
        >>> writer.WriteEvent(tf.Event(wall_time=1.0, step=1, summary=summary))
        >>> status = writer.Flush()
    """

    def __init__(self, file_prefix: bytes) -> None:
        self._prefix = as_path(file_prefix)
        self._suffix = ""
        self._file: EventFile | None = None

    def InitWithSuffix(self, suffix: Any) -> None:
        """Begins the file, with something behind its name."""
        self._suffix = as_path(suffix)
        self._opened()

    def _opened(self) -> EventFile:
        if self._file is None:
            folder, stem = os.path.split(self._prefix)
            self._file = EventFile(folder or ".", filename_suffix=self._suffix, stem=stem)
        return self._file

    def FileName(self) -> bytes:
        """The path of the file, which is begun if it is not there yet."""
        return self._opened().path.encode()

    def WriteEvent(self, event: protos.Event) -> None:
        """Writes an `Event`.

        Raises:
            TypeError: if it is none.
        """
        if not isinstance(event, protos.Event):
            raise TypeError(f"Expected an event_pb2.Event proto,  but got {type(event)}")
        self._WriteSerializedEvent(event.SerializeToString())

    def _WriteSerializedEvent(self, event_str: bytes) -> None:
        self._opened().add(event_str)

    def Flush(self) -> TF_Status:
        """Hands all events to the system."""
        self._opened().flush()
        return TF_Status()

    def Close(self) -> TF_Status:
        """Writes what is left and closes the file; the next event begins another."""
        if self._file is not None:
            self._file.close()
            self._file = None
        return TF_Status()


class PyRecordWriter(TFRecordWriter):
    """A writer of records with the C library's names."""

    def WriteRecord(self, record: bytes, status: Any = None) -> None:
        """Writes a record."""
        self.write(record)

    def Flush(self, status: Any = None) -> None:
        """Hands the records to the system."""
        self.flush()

    def Close(self, status: Any = None) -> None:
        """Closes the file."""
        self.close()


def PyRecordWriter_New(filename: str, options: str | None = None, status: Any = None) -> PyRecordWriter:
    """A writer of records.

    Args:
        filename: the file, truncated.
        options: `TFRecordOptions`, or the compression by name.
        status: a status that stays what it is: errors are raised.
    """
    kind = options.decode() if isinstance(options, bytes) else options
    return PyRecordWriter(filename, TFRecordOptions(kind) if isinstance(kind, str) else kind)


class PyRecordReader:
    """Reads records one by one: `GetNext`, then `record`.

    Args:
        filename: the file.
        compression: "", "ZLIB" or "GZIP".
    """

    def __init__(self, filename: str, compression: str) -> None:
        self._records = tf_record_iterator(filename, TFRecordOptions(compression) if compression else None)
        self._record = b""

    def GetNext(self, status: Any = None) -> None:
        """Goes on to the next record.

        Raises:
            OutOfRangeError: after the last one.
        """
        record = next(self._records, None)
        if record is None:
            raise errors.OutOfRangeError(None, None, "eof")
        self._record = record

    def record(self) -> bytes:
        """The record."""
        return self._record

    def Close(self) -> None:
        """Closes the file."""
        self._records = iter(())


def PyRecordReader_New(filename: str, start_offset: int, compression_type: str, status: Any = None) -> PyRecordReader:
    """A reader of records.

    Args:
        filename: the file.
        start_offset: the record's position in the file; only 0.
        compression_type: "", "ZLIB" or "GZIP".
        status: a status that stays what it is: errors are raised.

    Raises:
        NotImplementedError: for another offset than 0.
    """
    if start_offset:
        raise NotImplementedError("PyRecordReader_New(start_offset=...): records are read from the file's beginning.")
    kind = compression_type.decode() if isinstance(compression_type, bytes) else compression_type
    return PyRecordReader(filename, kind)


def list_devices(session_config: Any = None) -> list[bytes]:
    """The devices of this machine, each as a serialized `DeviceAttributes`."""
    return [device.SerializeToString() for device in list_local_devices(session_config)]
