"""Which exports of a folder are kept: strategies over their versions.

A strategy is a function of a list of `Path`s that gives some of them.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Iterable
from typing import NamedTuple

from headrace.files import file_io


class Path(NamedTuple):
    """A folder, and the version of the export in it."""

    path: str
    export_version: int | None


Strategy = Callable[[Iterable[Path]], list[Path]]


def largest_export_versions(n: int) -> Strategy:
    """Those of the n highest versions, in their order.

    Example:
        >>> largest_export_versions(2)([Path("/1", 1), Path("/3", 3), Path("/2", 2)])
        [Path(path='/2', export_version=2), Path(path='/3', export_version=3)]
    """

    def keep(paths: Iterable[Path]) -> list[Path]:
        numbered = [(path.export_version, i, path) for i, path in enumerate(paths)]
        return [path for _, _, path in sorted(heapq.nlargest(n, numbered))]

    return keep


def one_of_every_n_export_versions(n: int) -> Strategy:
    """The highest version of each n: of 1 to n, of n + 1 to 2n, and so on."""

    def keep(paths: Iterable[Path]) -> list[Path]:
        highest: dict[int, Path] = {}
        for path in paths:
            version = path.export_version or 0
            interval = (version - 1) // n if version else 0
            known = highest.get(interval)
            if known is None or (known.export_version or 0) < version:
                highest[interval] = path
        return sorted(highest.values())

    return keep


def mod_export_version(n: int) -> Strategy:
    """Those whose version is a multiple of n."""

    def keep(paths: Iterable[Path]) -> list[Path]:
        return sorted(path for path in paths if (path.export_version or 0) % n == 0)

    return keep


def union(left: Strategy, right: Strategy) -> Strategy:
    """Those that either of two strategies keeps."""

    def keep(paths: Iterable[Path]) -> list[Path]:
        paths = list(paths)
        return sorted({*left(paths), *right(paths)})

    return keep


def negation(strategy: Strategy) -> Strategy:
    """Those that a strategy does not keep."""

    def keep(paths: Iterable[Path]) -> list[Path]:
        paths = list(paths)
        return sorted({*paths} - {*strategy(paths)})

    return keep


def paths_in(base_dir: str | bytes, parser: Callable[[Path], Path | None]) -> list[Path]:
    """The exports in a folder, by version.

    Args:
        base_dir: the folder; there need be none.
        parser: gives a path with its version, or None of what is no export.
    """
    base = os.fsdecode(base_dir)
    if not file_io.file_exists(base):
        return []
    found = []
    for name in file_io.list_directory(base):
        # The file systems of clouds end folders with a slash.
        parsed = parser(Path(os.path.join(base, os.fsdecode(name).rstrip("/")), None))
        if parsed:
            found.append(parsed)
    return sorted(found)
