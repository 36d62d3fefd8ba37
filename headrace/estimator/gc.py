"""Which of many exports to keep and which to remove, by their versions.

What chooses is a function of a list of `Path`s that gives some of them.
"""

from __future__ import annotations

import heapq
import math
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from headrace.files import file_io


class Path(NamedTuple):
    """A folder, and the version of the export in it.

    Args:
        path: the path.
        export_version: the version.
    """

    path: Any
    export_version: Any


Chooser = Callable[[Sequence[Path]], list[Path]]


def largest_export_versions(n: int) -> Chooser:
    """A function that chooses the newest of some exports.

    Args:
        n: how many.

    Example:
        >>> Path = tf.contrib.learn.utils.gc.Path
        >>> newest = largest_export_versions(2)([Path("export/10", 10), Path("export/30", 30), Path("export/20", 20)])
        >>> [path.export_version for path in newest]
        [20, 30]
    """

    def keep(paths: Sequence[Path]) -> list[Path]:
        newest = heapq.nlargest(n, ((path.export_version, i) for i, path in enumerate(paths)))
        return sorted(paths[i] for _, i in newest)

    return keep


def one_of_every_n_export_versions(n: int) -> Chooser:
    """A function that chooses the newest of each range of versions: (0 .. n], (n .. 2n], ...

    Args:
        n: how many versions a range has.
    """

    def keep(paths: Sequence[Path]) -> list[Path]:
        newest: dict[int, Path] = {}
        for path in paths:
            place = max(0, math.ceil(path.export_version / n) - 1)
            if place not in newest or newest[place].export_version < path.export_version:
                newest[place] = path
        return sorted(newest.values())

    return keep


def mod_export_version(n: int) -> Chooser:
    """A function that chooses the exports whose versions are multiples of a number.

    Args:
        n: the number.
    """

    def keep(paths: Sequence[Path]) -> list[Path]:
        return sorted(path for path in paths if path.export_version % n == 0)

    return keep


def union(lf: Chooser, rf: Chooser) -> Chooser:
    """A function that chooses what one of two others does.

    Args:
        lf, rf: the two.
    """

    def keep(paths: Sequence[Path]) -> list[Path]:
        return sorted({*lf(paths), *rf(paths)})

    return keep


def negation(f: Chooser) -> Chooser:
    """A function that chooses what another does not.

    Args:
        f: the other.
    """

    def keep(paths: Sequence[Path]) -> list[Path]:
        return sorted(set(paths) - set(f(paths)))

    return keep


def get_paths(base_dir: str | bytes, parser: Callable[[Path], Path | None]) -> list[Path]:
    """The exports of a folder.

    Args:
        base_dir: the folder; there need be none.
        parser: from a `Path` without a version to one with it, or None for what is no export.

    Returns:
        `Path`s, sorted.
    """
    paths: list[Path] = []
    base = os.fsdecode(base_dir)
    if not file_io.file_exists(base):
        return paths
    for name in file_io.list_directory(base):
        # The file systems of clouds end folders with a slash.
        folder = os.path.join(base, os.fsdecode(name).rstrip("/"))
        found = parser(Path(folder, None))
        if found:
            paths.append(found)
    return sorted(paths)
