"""`tf.app`: flags are parsed, then `main` runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from absl import app as absl_app

from headrace.app import command_line_flags as flags


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parses the flags, runs `main(argv)` and exits with what it returns.

    Args:
        main: the function to run; `main` of the script by default.
        argv: the program's name and arguments; `sys.argv` by default. Flags that are not defined stay in the list
            that `main` gets.

    Raises:
        SystemExit: with the result of `main`.
    """
    main = main if main is not None else sys.modules["__main__"].main
    absl_app.run(main=main, argv=None if argv is None else list(argv), flags_parser=_parse)


def _parse(args: Sequence[str]) -> list[str]:
    return flags.FLAGS(list(args), known_only=True)
