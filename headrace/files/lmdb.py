"""LMDB databases, read page by page.

The library that writes them maps the file and follows what stands there: a damaged or hostile file ends the process. Here
every number is checked before it is followed.

    data.mdb: pages of one size; the first two tell where the tree begins, the one of the later transaction counts
    page: number: uint64, unused: uint16, flags: uint16, then by kind
        branch, leaf: end of the list of places: uint16, unused: uint16, places of the nodes in the page: uint16 each
        overflow: count of pages: uint32, bytes that are too many for a leaf
    node: size or page, low and high: uint16 each, flags (of a branch: more of the page): uint16, size of key: uint16, key, value
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import IO

from headrace.core.errors import DataLossError, InvalidArgumentError, UnimplementedError
from headrace.files.failures import failures_of

_HEADER = struct.Struct("<QHHHH")
_NODE = struct.Struct("<HHHH")
# Magic number, version, address, size; the tree of free pages, that of the data; the last page, the transaction.
_META = struct.Struct("<IIQQ" + 2 * "IHHQQQQQ" + "QQ")
_MAGIC, _VERSION = 0xBEEFC0DE, 1
_BRANCH, _LEAF, _OVERFLOW, _META_PAGE = 1, 2, 4, 8
_KIND = _BRANCH | _LEAF | _OVERFLOW | _META_PAGE
_ELSEWHERE, _SEVERAL = 1, 4  # flags of nodes: the value is in overflow pages; the key has several values
_NOTHING = (1 << 64) - 1
_MAX_DEPTH = 32


def lmdb_pairs(path: str) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of an LMDB database, in the order of the keys.

    Args:
        path: the folder of the database, or its file.

    Raises:
        InvalidArgumentError: if there is none.
        DataLossError: naming the page, if it is damaged.
        UnimplementedError: if a key has several values.

    Example:
        for key, value in lmdb_pairs("train.mdb"):
            print(key, len(value))
    """
    name = os.path.join(path, "data.mdb") if os.path.isdir(path) else path
    try:
        file = open(name, "rb")  # noqa: SIM115  closed below, when the generator ends
    except OSError as error:
        raise InvalidArgumentError(None, None, f"{path}: {os.strerror(error.errno or 0)}") from None
    with file, failures_of(name):
        yield from _Tree(file, name).pairs()


class _Tree:
    def __init__(self, file: IO[bytes], name: str) -> None:
        self.file = file
        self.name = name
        self.size = os.fstat(file.fileno()).st_size
        self.page_size = 0
        first = self._meta(0)
        self.page_size = page_size = first[4]
        if not 256 <= page_size <= 65536 or page_size & (page_size - 1):
            raise self._damaged(0, f"pages of {page_size} bytes")
        second = self._meta(page_size)
        self.root = max(first, second, key=lambda meta: meta[-1])[19]
        # A tree has each page once; what comes to more goes round in circles.
        self.left = self.size // page_size
        self.left_elsewhere = self.size

    def _meta(self, at: int) -> tuple[int, ...]:
        self.file.seek(at)
        data = self.file.read(_HEADER.size + _META.size)
        if len(data) < _HEADER.size + _META.size:
            raise InvalidArgumentError(
                None, None, f"{self.name}: it is no LMDB database: it ends at byte {at + len(data)}"
            )
        meta = _META.unpack_from(data, _HEADER.size)
        if not _HEADER.unpack_from(data)[2] & _META_PAGE or meta[0] != _MAGIC:
            raise InvalidArgumentError(None, None, f"{self.name}: it is no LMDB database")
        if meta[1] != _VERSION:
            raise InvalidArgumentError(None, None, f"{self.name}: LMDB databases of version {meta[1]} are not read")
        return meta

    def _damaged(self, page: int, problem: str) -> DataLossError:
        return DataLossError(None, None, f"{self.name}: the LMDB database is damaged at page {page}: {problem}")

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        if self.root == _NOTHING:
            return
        # What is left of the branches above, the nearest last.
        above: list[Iterator[int]] = [iter((self.root,))]
        while above:
            number = next(above[-1], None)
            if number is None:
                above.pop()
                continue
            page = self._page(number)
            kind = _HEADER.unpack_from(page)[2] & _KIND
            if kind == _LEAF:
                yield from self._leaf(page, number)
            elif kind == _BRANCH:
                if len(above) > _MAX_DEPTH:
                    raise self._damaged(number, f"the tree is deeper than {_MAX_DEPTH}")
                above.append(
                    iter([low | high << 16 | flags << 32 for low, high, flags, _, _ in self._nodes(page, number)])
                )
            else:
                raise self._damaged(number, "it is neither leaf nor branch")

    def _page(self, number: int) -> bytes:
        self.left -= 1
        if self.left < 0:
            raise self._damaged(number, "pages are referred to more than once")
        page = self._bytes(number, self.page_size)
        if _HEADER.unpack_from(page)[0] != number:
            raise self._damaged(number, f"it says to be page {_HEADER.unpack_from(page)[0]}")
        return page

    def _bytes(self, number: int, size: int) -> bytes:
        at = number * self.page_size
        if at + size > self.size:
            raise self._damaged(number, f"the file has {self.size} bytes")
        self.file.seek(at)
        data = self.file.read(size)
        if len(data) < size:
            raise self._damaged(number, "the file became shorter")
        return data

    def _nodes(self, page: bytes, number: int) -> Iterator[tuple[int, int, int, int, int]]:
        """The nodes of a page: their four numbers, and where their keys begin."""
        end = _HEADER.unpack_from(page)[3]
        if not _HEADER.size <= end <= len(page):
            raise self._damaged(number, f"its list of nodes ends at {end}")
        for (at,) in struct.iter_unpack("<H", page[_HEADER.size : end - end % 2]):
            if not end <= at <= len(page) - _NODE.size:
                raise self._damaged(number, f"a node at {at}")
            low, high, flags, key_size = _NODE.unpack_from(page, at)
            key_at = at + _NODE.size
            if key_at + key_size > len(page):
                raise self._damaged(number, f"a key of {key_size} bytes at {key_at}")
            yield low, high, flags, key_size, key_at

    def _leaf(self, page: bytes, number: int) -> Iterator[tuple[bytes, bytes]]:
        taken = 0
        for low, high, flags, key_size, key_at in self._nodes(page, number):
            size, value_at = low | high << 16, key_at + key_size
            key = page[key_at:value_at]
            if flags & _SEVERAL:
                raise UnimplementedError(None, None, f"{self.name}: keys with several values (DUPSORT) are not read.")
            if flags & _ELSEWHERE:
                if value_at + 8 > len(page):
                    raise self._damaged(number, f"a value at {value_at}")
                yield key, self._elsewhere(int.from_bytes(page[value_at : value_at + 8], "little"), size)
                continue
            if value_at + size > len(page):
                raise self._damaged(number, f"a value of {size} bytes at {value_at}")
            # Nodes do not share their bytes.
            taken += size
            if taken > len(page):
                raise self._damaged(number, "its nodes lie over one another")
            yield key, page[value_at : value_at + size]

    def _elsewhere(self, number: int, size: int) -> bytes:
        self.left_elsewhere -= size
        if self.left_elsewhere < 0:
            raise self._damaged(number, "pages are referred to more than once")
        data = self._bytes(number, _HEADER.size + size)
        page, _, flags, _, _ = _HEADER.unpack_from(data)
        if page != number or flags & _KIND != _OVERFLOW:
            raise self._damaged(number, "it is no overflow page")
        return data[_HEADER.size :]
