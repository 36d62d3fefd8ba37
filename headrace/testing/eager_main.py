"""1.x's `eager.test`: what test scripts call whose operations run as they are made."""

from __future__ import annotations

from headrace.config.behavior import enable_eager_execution
from headrace.testing import test_case

__all__ = ["main"]


def main(argv: list[str] | None = None) -> None:
    """Enables eager execution, and runs the tests of the script.

    Args:
        argv: the program's name and arguments; `sys.argv` by default.
    """
    enable_eager_execution()
    test_case.main(argv)
