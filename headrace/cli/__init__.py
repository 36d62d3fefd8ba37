"""The command line: `headrace run | check | explain | freeze | …`, and `headrace script.py`."""

from __future__ import annotations

import os
import sys

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
    # Before the script only: what follows it is the script's own.
    keras = arguments[:1] != ["--no-keras"]
    arguments = arguments[not keras :]
    explicit = arguments[:1] == ["run"] and len(arguments) > 1 and not arguments[1].startswith("-")
    if explicit or (arguments[:1] == ["run"] and arguments[1:2] in (["-m"], ["-c"])):
        arguments = arguments[1:]
    if arguments[:1] == ["-m"] and len(arguments) > 1:
        from headrace.shim.runner import run_module

        run_module(arguments[1], arguments[2:], keras=keras)
    elif arguments[:1] == ["-c"] and len(arguments) > 1:
        from headrace.shim.runner import run_text

        run_text(arguments[1], arguments[2:], keras=keras)
    elif explicit or (arguments and arguments[0] not in COMMANDS and _is_program(arguments[0])):
        from headrace.shim.runner import run_script

        run_script(arguments[0], arguments[1:], keras=keras)
    else:
        from headrace.cli.commands import headrace

        headrace(prog_name="headrace")


def _is_program(argument: str) -> bool:
    """Whether an argument names a script, one that is missing included, rather than a command."""
    return not argument.startswith("-") and (argument.endswith(".py") or os.path.exists(argument))
