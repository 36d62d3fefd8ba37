"""Expressions of dumped tensors, and the screens that were shown before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from headrace.debug.cli.menus import MenuItem
from headrace.debug.cli.navigation import CursesNavigationHistory
from headrace.debug.dump_dir import WatchKeyDoesNotExistInDebugDumpDirError
from headrace.debug.evaluator import ExpressionEvaluator, parse_debug_tensor_name


class _Dump:
    """Two dumps of each tensor: ones, then twos."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def get_tensors(self, node: str, slot: int, debug_op: str, device_name: str | None = None) -> list[np.ndarray]:
        self.asked.append((node, slot, debug_op, device_name))
        if node == "gone":
            raise WatchKeyDoesNotExistInDebugDumpDirError("gone")
        return [np.ones(2), np.full(2, 2.0)]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a/b:1", (None, "a/b", 1, "DebugIdentity", 0)),
        ("a:0[2]", (None, "a", 0, "DebugIdentity", 2)),
        ("a:0:DebugNanCount", (None, "a", 0, "DebugNanCount", 0)),
        ("/job:w/replica:0/task:1/cpu:0:a:3", ("/job:w/replica:0/task:1/cpu:0", "a", 3, "DebugIdentity", 0)),
    ],
)
def test_names_of_dumped_tensors(name: str, parts: tuple[Any, ...]) -> None:
    assert parse_debug_tensor_name(name) == parts


@pytest.mark.parametrize("name", ["", "a", "a:0:b:c"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(ValueError, match="malformed"):
        parse_debug_tensor_name(name)


def test_expressions_read_each_tensor_once() -> None:
    dump = _Dump()
    evaluator = ExpressionEvaluator(dump)  # type: ignore[arg-type]
    np.testing.assert_array_equal(evaluator.evaluate("`a:0` + `a:0[1]` * `a:0`"), [3.0, 3.0])
    assert evaluator.evaluate("np.sum(`a:0[1]`)") == 4.0
    assert dump.asked == [("a", 0, "DebugIdentity", None)] * 2
    with pytest.raises(ValueError, match="gone:0:DebugIdentity being unavailable"):
        evaluator.evaluate("`gone:0`")
    with pytest.raises(IndexError, match="a:0:DebugIdentity has 2 dump"):
        evaluator.evaluate("`a:0[2]`")
    with pytest.raises(NameError):
        evaluator.evaluate("nothing(`a:0`)")


def test_back_and_forth() -> None:
    history = CursesNavigationHistory(2)
    with pytest.raises(ValueError, match="Empty navigation history"):
        history.go_back()
    for number, command in enumerate(("lt", "ni x", "pt x:0")):
        history.add_item(command, None, number)
    assert (history.size(), history.pointer(), history.can_go_forward()) == (2, 1, False)
    assert history.go_back().command == "ni x"
    history.update_scroll_position(7)
    assert (history.can_go_back(), history.can_go_forward()) == (False, True)
    shown = history.render(30, "prev", "next")
    assert shown.lines == ["| <-- --> | (-1) ni x"]
    (_, _, forth), *attributes = shown.font_attr_segs[0]
    assert isinstance(forth, MenuItem)
    assert [segment[2] for segment in attributes] == ["magenta_on_white"] * 2
    history.add_item("ls", None, 0)
    assert (history.go_back().scroll_position, history.size()) == (7, 2)
    with pytest.raises(ValueError, match="capacity"):
        CursesNavigationHistory(0)
