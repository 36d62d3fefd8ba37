"""Tables of how long nodes took, and sources beside the times of what they made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import headrace as tf
from headrace.debug.cli.menus import MenuItem
from headrace.debug.cli.profile_analyzer import ProfileAnalyzer, ProfileDataTableView, list_profile_filter
from headrace.debug.cli.reading import parse_time_interval
from headrace.debug.profiling import ProfileDatum
from headrace.messages import protos

PROGRAM = 'x = tf.constant(1.0, name="x")\n\ny = tf.square(x, name="y")\n'


def _stats(name: str, start: int, op_time: int, exec_time: int) -> Any:
    return protos.NodeExecStats(
        node_name=name, all_start_micros=start, op_end_rel_micros=op_time, all_end_rel_micros=exec_time
    )


@pytest.fixture
def made(tmp_path: Path) -> tuple[ProfileAnalyzer, str]:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    with tf.Graph().as_default() as graph:
        exec(compile(PROGRAM, str(path), "exec"), {"tf": tf})
    metadata = protos.RunMetadata()
    device = metadata.step_stats.dev_stats.add(device="/cpu:0")
    device.node_stats.extend(
        [_stats("y", 20, 30, 40), _stats("x", 10, 5, 10), _stats("other", 30, 0, 1), _stats("_SOURCE", 0, 1, 1)]
    )
    metadata.step_stats.dev_stats.add(device="/gpu:0")
    return ProfileAnalyzer(graph, metadata), str(path)


def test_a_table_for_each_device(made: tuple[ProfileAnalyzer, str]) -> None:
    analyzer, path = made
    out = analyzer.list_profile([], screen_info={"cols": 20})
    assert out.lines[:4] == ["", "-" * 20, "Device 1 of 2: /cpu:0", ""]
    header = "Node          Op Type  Start Time (us)  Op Time (us)  Exec Time (us)  Filename:Lineno(function)  "
    assert out.lines[4] == header
    assert [line.split()[0] for line in out.lines[5:8]] == ["x", "y", "other"]
    assert out.lines[6].split() == ["y", "Square", "20", "30us", "40us", "program.py:3(<module>)"]
    assert out.lines[9].split() == ["Device", "Total", "35us", "51us"]
    # The header sorts, and sorts the other way round what is sorted already; a place leads to the source.
    commands = [part.content for *_, parts in out.font_attr_segs[4] for part in parts if isinstance(part, MenuItem)]
    assert commands[:3] == ["list_profile -s node", "list_profile -s op_type", "list_profile -s start_time -r"]
    assert out.font_attr_segs[6][0][2].content == f"ps {path} --init_line 3"


@pytest.mark.parametrize(
    ("args", "nodes"),
    [
        (["-s", "exec_time", "-r"], ["y", "x", "other"]),
        (["-n", "[xy]", "-o", ">10us"], ["y"]),
        (["-t", "Const"], ["x"]),
        (["--min_lineno", "2"], ["y", "other"]),
        (["-d", "/gpu"], []),
    ],
)
def test_rows_that_are_asked_for(made: tuple[ProfileAnalyzer, str], args: list[str], nodes: list[str]) -> None:
    lines = made[0].list_profile(args).lines
    start = next(number for number, line in enumerate(lines) if line.startswith("Node"))
    assert [line.split()[0] for line in lines[start + 1 : lines.index("", start)]] == nodes


def test_a_source_beside_its_times(made: tuple[ProfileAnalyzer, str]) -> None:
    analyzer, path = made
    out = analyzer.print_source([path, "--init_line", "3"])
    assert out.lines == [
        "             exec_time   #nodes   lineno",
        "                         (#execs)     source",
        '[|||       ] 10us        1(1)      L1 x = tf.constant(1.0, name="x")',
        "                                   L2 ",
        '[||||||||||] 40us        1(1)      L3 y = tf.square(x, name="y")',
        "                                   L4 ",
    ]
    assert out.annotations == {"init_scroll_pos": 4}
    assert "does not contain any profile information" in analyzer.print_source([path, "-n", "none"]).lines[0]


def test_mistaken_options(made: tuple[ProfileAnalyzer, str]) -> None:
    with pytest.raises(SystemExit):
        made[0].list_profile(["--nonsense"])
    with pytest.raises(ValueError, match="Invalid interval"):
        made[0].list_profile(["-o", "long"])
    with pytest.raises(ValueError, match="Invalid time unit"):
        made[0].list_profile(["--time_unit", "hours"])
    with pytest.raises(ValueError, match="key to sort by: time; use node, op_type"):
        made[0].list_profile(["-s", "time"])


def test_what_is_not_scrolled_begins_at_the_line_that_was_asked_for(made: tuple[ProfileAnalyzer, str]) -> None:
    analyzer, path = made
    _, _, show, arguments = analyzer.all_commands()[1]
    whole = show(arguments.parse_args([path]))
    assert show(arguments.parse_args([path, "--init_line", "3"])) == whole[:2] + whole[4:]


def test_cells_and_filters() -> None:
    datum = ProfileDatum("cpu", _stats("n", 7, 20, 40), "/a/b.py", 5, "f", "MatMul")
    view = ProfileDataTableView([datum], time_unit="ms")
    assert [view.value(0, column).text for column in range(view.column_count())] == [
        "n", "MatMul", "7", "0.02ms", "0.04ms", "b.py:5(f)",
    ]  # fmt: skip
    with pytest.raises(IndexError, match="Invalid column index 6"):
        view.value(0, 6)
    nothing: tuple[Any, ...] = (None, None, None)
    assert list_profile_filter(datum, *nothing, None, parse_time_interval("[40us, 50us]"), 5, 6)
    assert not list_profile_filter(datum, *nothing, parse_time_interval("<20us"), None)
    assert not list_profile_filter(datum, *nothing, None, None, max_lineno=5)
