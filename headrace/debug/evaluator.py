"""Python expressions of the tensors of a dump, which stand in backquotes: np.argmax(`Softmax:0`)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from headrace.debug.dump_dir import DebugDumpDir, WatchKeyDoesNotExistInDebugDumpDirError

_NAMED = re.compile(r"`(.*?)`")
_DEVICE = re.compile(r"/job:(\w)+/replica:(\d)+/task:(\d)+/(\w)+:(\d)+:")
_NUMBER = re.compile(r"\[(\d*)\]$")
_DEFAULT_DEBUG_OP = "DebugIdentity"


def parse_debug_tensor_name(debug_tensor_name: str) -> tuple[str | None, str, int, str, int]:
    """Takes the name of a dumped tensor apart.

    Args:
        debug_tensor_name: `[device:]node:slot[:debug op][[number of the dump]]`.

    Returns:
        the device or None, the node, the slot, the debug op (with the number, where both are given), and the number.

    Raises:
        ValueError: if it is no such name.

    Example:
        >>> parse_debug_tensor_name("a/b:1[2]")
        (None, 'a/b', 1, 'DebugIdentity', 2)
    """
    rest, device = debug_tensor_name, None
    found = _DEVICE.match(rest)
    if found is not None:
        device, rest = found.group()[:-1], rest[found.end() :]
    parts = rest.split(":")
    if len(parts) not in (2, 3):
        raise ValueError(f"The debug tensor name in the to-be-evaluated expression is malformed: '{debug_tensor_name}'")
    numbered = _NUMBER.search(rest)
    number = int(numbered[1]) if numbered is not None else 0
    slot = parts[1]
    if len(parts) == 3:
        return device, parts[0], int(slot), parts[2], number
    return device, parts[0], int(_NUMBER.sub("", slot)), _DEFAULT_DEBUG_OP, number


class ExpressionEvaluator:
    """Evaluates expressions of the tensors of a dump. What was read is kept.

    Args:
        dump: where the tensors are.
    """

    def __init__(self, dump: DebugDumpDir) -> None:
        self._dump = dump
        self._read: dict[str, Any] = {}

    def evaluate(self, expression: str) -> Any:
        """The value of an expression.

        Args:
            expression: Python, with the names of tensors in backquotes and NumPy as `np` and `numpy`.

        Raises:
            ValueError: if a name is none, or if the dump has no such tensor. IndexError: if it has not so many dumps of it.
                Whatever the expression itself raises.

        Example:
            ExpressionEvaluator(dump).evaluate("np.mean(`a:0[1]`) * 2")
        """
        values: dict[str, Any] = {"np": np, "numpy": np}
        words: dict[str, str] = {}

        def word_of(match: re.Match[str]) -> str:
            name = match[1]
            if name not in words:
                words[name] = f"_tensor_{len(words)}"
                values[words[name]] = self._value(name)
            return words[name]

        # What somebody types at the debugger's prompt is a program of theirs; nothing of a dump becomes part of it.
        return eval(_NAMED.sub(word_of, expression), values)  # noqa: S307

    def _value(self, name: str) -> Any:
        if name not in self._read:
            device, node, slot, debug_op, number = parse_debug_tensor_name(name)
            plain_op = _NUMBER.sub("", debug_op)
            try:
                values = self._dump.get_tensors(node, slot, plain_op, device_name=device)
            except WatchKeyDoesNotExistInDebugDumpDirError:
                raise ValueError(
                    f"Eval failed due to the value of {node}:{slot}:{plain_op} being unavailable"
                ) from None
            if number >= len(values):
                raise IndexError(f"{node}:{slot}:{plain_op} has {len(values)} dump(s), there is no #{number}.")
            self._read[name] = values[number]
        return self._read[name]
