"""1.x's `googletest`: absl's test cases under its names, and attributes replaced for the time of a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import SkipTest, TestLoader, expectedFailure, skip, skipIf, skipUnless

from absl.testing.absltest import TestCase

from headrace.testing.benchmark import TensorFlowBenchmark as Benchmark
from headrace.testing.test_case import get_temp_dir, main, test_src_dir_path

__all__ = [
    "Benchmark", "GetTempDir", "SkipTest", "StatefulSessionAvailable", "StubOutForTesting", "TestCase", "TestLoader",
    "expectedFailure", "main", "skip", "skipIf", "skipUnless", "test_src_dir_path",
]  # fmt: skip

GetTempDir = get_temp_dir


def StatefulSessionAvailable() -> bool:
    """Whether sessions outlive the process: no."""
    return False


class StubOutForTesting:
    """Replaces attributes and puts them back.

    Example:
        >>> stubs = tf.test.StubOutForTesting()
        >>> stubs.Set(os.path, "exists", lambda path: True)
        >>> stubs.CleanUp()
    """

    def __init__(self) -> None:
        self._set: list[tuple[Any, str, Any]] = []
        self._smart: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *_: object) -> None:
        self.CleanUp()

    def __del__(self) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        """Undoes everything."""
        self.SmartUnsetAll()
        self.UnsetAll()

    def Set(self, parent: type, child_name: str, new_child: int) -> None:
        """Replaces the attribute `child_name` of `parent`.

        Raises:
            AttributeError: if there is none.
        """
        self._replace(self._set, parent, child_name, new_child)

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Callable[..., Any]) -> None:
        """`Set`, where the attribute really is: on the object, or on the base class that has it.

        Raises:
            AttributeError: if there is none.
        """
        owner = obj
        if attr_name not in vars(obj):
            kind = obj if isinstance(obj, type) else type(obj)
            owner = next((base for base in kind.__mro__ if attr_name in vars(base)), None)
            if owner is None:
                raise AttributeError(f"{obj!r} has no attribute {attr_name!r}")
            owner = obj if isinstance(obj, type) else owner
        self._replace(self._smart, owner, attr_name, new_attr)

    def UnsetAll(self) -> None:
        """Undoes every `Set`, the last first."""
        self._restore(self._set)

    def SmartUnsetAll(self) -> None:
        """Undoes every `SmartSet`, the last first."""
        self._restore(self._smart)

    @staticmethod
    def _replace(kept: list[tuple[Any, str, Any]], parent: type, name: str, new: int | Callable[..., Any]) -> None:
        old = getattr(parent, name)
        # A static or class method must go back as what it was.
        wrapped = vars(parent).get(name) if hasattr(parent, "__dict__") else None
        if isinstance(wrapped, (staticmethod, classmethod)):
            old = wrapped
        kept.append((parent, name, old))
        setattr(parent, name, new)

    @staticmethod
    def _restore(kept: list[tuple[Any, str, Any]]) -> None:
        while kept:
            parent, name, old = kept.pop()
            setattr(parent, name, old)
