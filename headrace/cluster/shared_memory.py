"""Memory that two processes of a machine share: large tensors lie there, and messages say where.

The caller owns the segments, those for answers too. It makes them with `memfd_create(2)`, so that nothing is left of them
when both processes have gone, seals their sizes, and tells the server its process, the descriptors and a random name. The
server opens them through `/proc`, which the kernel grants to processes of the same user only, and takes what bears that name.
On another machine, in another container and on systems without these calls no segment is found, and tensors travel in the
messages.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import secrets
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from headrace.core import errors

_ROUND = 1 << 20
# Free segments that an owner keeps for the messages to come, segments that a server knows of a caller, callers it knows.
_MOST_FREE, _MOST_SEGMENTS, _MOST_CALLERS = 8, 1 << 12, 256
_PREFIX = "headrace-"
# Of linux/fcntl.h.
_ADD_SEALS, _GET_SEALS = 1033, 1034
_SEALS = 0x0001 | 0x0002 | 0x0004  # no more seals, no shrinking, no growing


class Lease:
    """The bytes of a segment as an array, for as long as something lies in them.

    Args:
        array: the bytes.
        ended: called when no array is left that lies in them.
    """

    def __init__(self, array: np.ndarray, ended: Callable[[], None]) -> None:
        self._array = array
        self.__array_interface__ = dict(array.__array_interface__)
        weakref.finalize(self, ended).atexit = False

    def bytes(self) -> np.ndarray:
        """The array; the lease ends with it and its views."""
        return np.asarray(self)


class Segment:
    """Memory of this process that it shares with a server.

    Args:
        number: what messages call it.
        name: the name of all segments for that server.
        size: its bytes.

    Raises:
        OSError: if there is none to be had.
    """

    def __init__(self, number: int, name: str, size: int) -> None:
        self.number, self.size = number, size
        self.descriptor = os.memfd_create(_PREFIX + name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        weakref.finalize(self, os.close, self.descriptor).atexit = False
        os.ftruncate(self.descriptor, size)
        fcntl.fcntl(self.descriptor, _ADD_SEALS, _SEALS)
        self.array = np.frombuffer(mmap.mmap(self.descriptor, size), np.uint8)


class OwnSegments:
    """The segments that this process shares with one server.

    Args:
        limit: how many bytes they may have together.

    Attributes:
        name: what they are called; nobody else knows it.
    """

    def __init__(self, limit: int) -> None:
        self.name = secrets.token_hex(16)
        self._limit = limit
        self._total = self._last = 0
        self._known: dict[int, Segment] = {}
        self._free: OrderedDict[int, Segment] = OrderedDict()
        self._dropped: list[int] = []
        self._lock = threading.RLock()  # leases end anywhere, also while it is held

    def take(self, size: int) -> Segment | None:
        """A segment of at least `size` bytes, None where that would be too much memory."""
        with self._lock:
            fitting = [each for each in self._free.values() if size <= each.size <= 4 * size + _ROUND]
            if fitting:
                best = min(fitting, key=lambda each: each.size)
                return self._free.pop(best.number)
            rounded = -(-size // _ROUND) * _ROUND
            while self._free and (len(self._free) >= _MOST_FREE or self._total + rounded > self._limit):
                self._drop(self._free.popitem(last=False)[1])
            if self._total + rounded > self._limit:
                return None
            try:
                made = Segment(self._last + 1, self.name, rounded)
            except OSError:
                return None
            self._last += 1
            self._total += rounded
            self._known[made.number] = made
            return made

    def give_back(self, numbers: Iterable[int]) -> None:
        """Notes that nothing lies in segments any more."""
        with self._lock:
            for number in numbers:
                segment = self._known.get(number)
                if segment is not None:
                    self._free[number] = segment

    def drop(self, segment: Segment) -> None:
        """Gives a segment up of which it is not known whether the server still uses it."""
        with self._lock:
            if segment.number in self._known:
                self._drop(segment)

    def _drop(self, segment: Segment) -> None:
        del self._known[segment.number]
        self._total -= segment.size
        self._dropped.append(segment.number)

    def dropped(self) -> list[int]:
        """The segments that were given up since the last call."""
        with self._lock:
            found, self._dropped = self._dropped, []
        return found

    def lease(self, segment: Segment) -> np.ndarray:
        """The bytes of a segment, which is free again when nothing lies in them."""
        return Lease(segment.array, lambda: self.give_back([segment.number])).bytes()


class _Caller:
    """The segments of one caller as a server sees them."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.arrays: dict[int, np.ndarray] = {}
        self.released: list[int] = []


class CallersSegments:
    """The segments that other processes of this machine share with this one, by the names of their callers."""

    def __init__(self) -> None:
        self._callers: OrderedDict[str, _Caller] = OrderedDict()
        self._lock = threading.RLock()

    def meet(self, name: str, process: int, descriptor: int, size: int) -> bool:
        """Learns of a caller by its first segment; whether that is there for this process."""
        try:
            array = _open(name, process, descriptor, size)
        except (OSError, ValueError):
            return False
        with self._lock:
            while len(self._callers) >= _MOST_CALLERS:
                self._callers.popitem(last=False)
            caller = self._callers[name] = _Caller(process)
            caller.arrays[1] = array
        return True

    def knows(self, name: str) -> bool:
        """Whether a caller of that name is here."""
        with self._lock:
            return name in self._callers

    def forget(self, name: str) -> None:
        """Gives up what a caller has shared."""
        with self._lock:
            self._callers.pop(name, None)

    def _caller(self, name: str) -> _Caller:
        caller = self._callers.get(name)
        if caller is None:
            raise errors.UnavailableError(None, None, "The connection was cut: the memory of the caller is not known.")
        return caller

    def segment(self, name: str, place: Any) -> np.ndarray:
        """All bytes of a segment of a caller.

        Args:
            name: of the caller.
            place: a `SegmentPlace`.

        Raises:
            UnavailableError: if the caller is not known.
            InvalidArgumentError: if there is no such segment.
        """
        with self._lock:
            caller = self._caller(name)
            found = caller.arrays.get(place.number)
            if found is None:
                if len(caller.arrays) >= _MOST_SEGMENTS:
                    raise errors.ResourceExhaustedError(None, None, f"A caller may share {_MOST_SEGMENTS} segments.")
                try:
                    found = _open(name, caller.process, place.descriptor, place.size)
                except (OSError, ValueError) as error:
                    raise errors.InvalidArgumentError(None, None, f"No segment {place.number}: {error}") from None
                caller.arrays[place.number] = found
        return found

    def lease(self, name: str, place: Any) -> np.ndarray:
        """As `segment`; the caller is told when nothing lies in the array any more."""
        array = self.segment(name, place)
        caller, number = self._caller(name), place.number
        return Lease(array, lambda: caller.released.append(number)).bytes()

    def drop(self, name: str, numbers: Iterable[int]) -> None:
        """Forgets segments that the caller has given up."""
        with self._lock:
            caller = self._caller(name)
            for number in numbers:
                caller.arrays.pop(number, None)

    def released(self, name: str) -> list[int]:
        """The segments of a caller in which nothing lies any more, each told once."""
        with self._lock:
            caller = self._callers.get(name)
            if caller is None:
                return []
            count = len(caller.released)
            found, caller.released[:count] = caller.released[:count], []
        return found


def _open(name: str, process: int, descriptor: int, size: int) -> np.ndarray:
    """Maps a segment of another process, if it is one of that name."""
    path = f"/proc/{process:d}/fd/{descriptor:d}"
    # Whatever else the caller has open, or names, is none of ours: not opened, not read.
    if len(name) != 32 or os.readlink(path) != f"/memfd:{_PREFIX}{name} (deleted)":
        raise ValueError("it is another file")
    opened = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        # Sealed, lest a page that has gone end this process.
        if os.fstat(opened).st_size != size or fcntl.fcntl(opened, _GET_SEALS) & _SEALS != _SEALS:
            raise ValueError("its size is another")
        return np.frombuffer(mmap.mmap(opened, size), np.uint8)
    finally:
        os.close(opened)


def is_available() -> bool:
    """Whether this system has what it takes."""
    return hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")
