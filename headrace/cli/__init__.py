"""The command line: `headrace run | check | explain | freeze | …`, and `headrace script.py`."""

from __future__ import annotations

import os
import sys
from typing import Any

# Every command: a file of the same name in the folder one stands in is not run instead.
COMMANDS = (
    "run",
    "check",
    "explain",
    "op",
    "shim",
    "inspect",
    "version",
    "doctor",
    "freeze",
    "strip",
    "optimize",
    "saved-model",
    "convert",
    "import-pb",
    "transform",
    "serve",
    "launch",
)


def main() -> None:
    """Runs the command line of this process.

    What starts a program goes straight to the runner, so that nothing of the command line is imported for it.
    """
    arguments = sys.argv[1:]
    options, arguments = _options(arguments)
    if "HEADRACE_LAUNCHER_LOCK" in os.environ:
        from headrace.cluster.launcher_watch import end_with_launcher

        end_with_launcher()
    explicit = arguments[:1] == ["run"] and len(arguments) > 1 and not arguments[1].startswith("-")
    if explicit or (arguments[:1] == ["run"] and arguments[1:2] in (["-m"], ["-c"])):
        arguments = arguments[1:]
    if arguments[:1] == ["-m"] and len(arguments) > 1:
        from headrace.shim.runner import run_module

        run_module(arguments[1], arguments[2:], **options)
    elif arguments[:1] == ["-c"] and len(arguments) > 1:
        from headrace.shim.runner import run_text

        run_text(arguments[1], arguments[2:], **options)
    elif explicit or (arguments and arguments[0] not in COMMANDS and _is_program(arguments[0])):
        from headrace.shim.runner import run_script

        run_script(arguments[0], arguments[1:], **options)
    else:
        from headrace.cli.commands import headrace

        headrace(prog_name="headrace")


def _options(arguments: list[str]) -> tuple[dict[str, Any], list[str]]:
    """The options of the runner that stand before the program, and what is left: what follows it is its own."""
    options: dict[str, Any] = {}
    rest = list(arguments)
    while rest:
        name, _, value = rest[0].partition("=")
        if rest[0] == "--no-keras":
            options["keras"] = False
            del rest[0]
        elif name == "--tf-version" and (value or len(rest) > 1):
            options["version"] = value or rest[1]
            del rest[: 1 if value else 2]
        else:
            break
    return options, rest


def _is_program(argument: str) -> bool:
    """Whether an argument names a script, one that is missing included, rather than a command."""
    return not argument.startswith("-") and (argument.endswith(".py") or os.path.exists(argument))
