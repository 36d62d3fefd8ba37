"""Large messages in pieces: gRPC's Python library carries many small messages faster than a large one.

A piece fits the caches of the machine, where a large message is copied several times through memory that is new each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.devices.pool import submit

# From 1 to 4 MB are fastest, see docs/scaling.md; messages of less are not taken apart.
PIECE = 1 << 20
_SIZE_BYTES = 8


def in_pieces(buffers: Sequence[Any]) -> Iterator[bytes]:
    """The pieces of a message: its size, then its bytes.

    Args:
        buffers: its bytes, one after the other.
    """
    views = [memoryview(each) for each in buffers]
    yield sum(view.nbytes for view in views).to_bytes(_SIZE_BYTES, "little")
    gathered: list[memoryview] = []
    size = 0
    for view in views:
        begin = 0
        while begin < view.nbytes:
            end = min(view.nbytes, begin + PIECE - size)
            gathered.append(view[begin:end])
            size += end - begin
            begin = end
            if size == PIECE:
                yield b"".join(gathered)
                gathered, size = [], 0
    if gathered:
        yield b"".join(gathered)


def joined(pieces: Iterable[bytes], most: int) -> memoryview:
    """The message that pieces make.

    Args:
        pieces: as `in_pieces` gives them.
        most: the bytes that it may have.

    Raises:
        ResourceExhaustedError: if it has more.
        InvalidArgumentError: if the pieces do not fit.
    """
    iterator = iter(pieces)
    first = next(iterator, b"")
    size = int.from_bytes(first, "little")
    if len(first) != _SIZE_BYTES:
        raise errors.InvalidArgumentError(None, None, "Could not parse the message: its size is missing")
    if size > most:
        raise errors.ResourceExhaustedError(None, None, f"Received message larger than max ({size} vs. {most})")
    # NumPy's memory is aligned, and of large pages where the system has them.
    data = np.empty(size, np.uint8).data
    end = 0
    for piece in iterator:
        begin, end = end, end + len(piece)
        if end > size:
            break
        data[begin:end] = piece
    if end != size:
        raise errors.InvalidArgumentError(None, None, "Could not parse the message: its size is another")
    return data


class StreamedCall(Future[memoryview]):
    """A call whose answer comes in pieces, as a future of the whole.

    Args:
        call: of gRPC.
        most: the bytes that the answer may have.
    """

    def __init__(self, call: Any, most: int) -> None:
        super().__init__()
        self._call, self._most = call, most
        submit(self._gather)

    def _gather(self) -> None:
        try:
            self.set_result(joined(self._call, self._most))
        except BaseException as error:  # noqa: BLE001  told by who asks for the result
            self._call.cancel()
            self.set_exception(error)

    def cancel(self) -> bool:
        """Ends the call; who waits for it is told by gRPC."""
        cancelled: bool = self._call.cancel()
        return cancelled
