"""What is drawn bold, and what can be clicked on, in what is said of a dump."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headrace as tf
from headrace.debug.cli.analyzer import DebugAnalyzer
from headrace.debug.cli.menus import MAIN_MENU_KEY, MenuItem
from headrace.debug.dump_dir import DebugDumpDir
from headrace.debug.terminal import Settings
from headrace.debug.watch_options import watch_graph
from headrace.messages import protos

PROGRAM = 'x = tf.placeholder(tf.float32, [2], name="x")\ny = tf.square(x, name="y")\nz = tf.log(y, name="z")\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[DebugAnalyzer, str]:
    folder: Path = tmp_path_factory.mktemp("marks")
    path = folder / "program.py"
    path.write_text(PROGRAM)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        exec(compile(PROGRAM, str(path), "exec"), {"tf": tf})
        options = protos.RunOptions(output_partition_graphs=True)
        watch_graph(options, graph, debug_urls=f"file://{folder / 'dump'}")
        metadata = protos.RunMetadata()
        session.run("z:0", {"x:0": [1.0, 0.0]}, options=options, run_metadata=metadata)
        dump = DebugDumpDir(str(folder / "dump"), partition_graphs=metadata.partition_graphs)
        dump.set_python_graph(graph)
    return DebugAnalyzer(dump, Settings()), str(path)


def _commands(segments: list[Any]) -> list[str]:
    parts = [part for *_, attribute in segments for part in (attribute if isinstance(attribute, list) else [attribute])]
    return [part.content for part in parts if isinstance(part, MenuItem)]


def test_tables_of_tensors_sort_and_print(made: tuple[DebugAnalyzer, str]) -> None:
    out = made[0].list_tensors(["-n", "[yz]", "-s", "op_type"])
    place = next(number for number, line in enumerate(out.lines) if line.startswith("t (ms)"))
    assert _commands(out.font_attr_segs[place]) == [
        "list_tensors -n [yz] -s timestamp", "list_tensors -n [yz] -s dump_size",
        "list_tensors -n [yz] -s op_type -r", "list_tensors -n [yz] -s tensor_name",
    ]  # fmt: skip
    assert [_commands(out.font_attr_segs[place + row]) for row in (1, 2)] == [["pt z:0"], ["pt y:0"]]
    start, end, _ = out.font_attr_segs[place + 1][0]
    assert out.lines[place + 1][start:end] == "z:0"


def test_nodes_lead_to_one_another(made: tuple[DebugAnalyzer, str]) -> None:
    analyzer, path = made
    out = analyzer.node_info(["y", "-d", "-t"])
    assert out.font_attr_segs[0] == [(5, 6, "bold")]
    said = [command for number in sorted(out.font_attr_segs) for command in _commands(out.font_attr_segs[number])]
    assert said[:3] == ["ni -a -d -t x", "ni -a -d -t z", "pt y:0 -n 0"]
    assert f"ps {path} -b 2" in said
    out = analyzer.list_inputs(["z", "-r", "-t"])
    assert out.font_attr_segs[0] == [(16, 17, "bold")]
    assert [_commands(out.font_attr_segs[line]) for line in (1, 2)] == [["li -c -r y"], ["li -c -r x"]]
    menu = analyzer.list_inputs(["none"]).annotations[MAIN_MENU_KEY]
    assert menu.caption_to_item("node_info").content == "node_info -a -d -t none"


def test_values_have_notes(made: tuple[DebugAnalyzer, str]) -> None:
    out = made[0].print_tensor(["z:0"])
    assert out.font_attr_segs[0] == [(8, 11, "bold"), (12, 25, "yellow")]
    assert out.annotations["tensor_metadata"] == {"dtype": np.dtype("float32"), "shape": (2,)}
    place = next(number for number, line in enumerate(out.lines) if line.startswith("array("))
    assert out.annotations[place] == {"i0": [0]}
    assert made[0].evaluate_expression(["np.sum(`y:0`)"]).lines[1:] == ["", "1.0"]


def test_sources_are_scrolled_to_a_line(made: tuple[DebugAnalyzer, str]) -> None:
    analyzer, path = made
    out = analyzer.print_source([path, "-b", "2"])
    assert out.lines[0].startswith("L1 ")
    assert out.lines[out.annotations["init_scroll_pos"]].startswith("L2 ")
    assert out.font_attr_segs[0] == [(0, 2, "yellow")]
    named = next(number for number, line in enumerate(out.lines) if line == "    y")
    assert _commands(out.font_attr_segs[named]) == ["pt y"]
    short = analyzer.print_source([path, "-m", "0"])
    more = next(number for number, line in enumerate(short.lines) if line.endswith("+5"))
    assert _commands(short.font_attr_segs[more])[0].endswith(" -m 5")


def test_errors_of_what_was_asked_are_raised(made: tuple[DebugAnalyzer, str]) -> None:
    analyzer = made[0]
    with pytest.raises(ValueError, match="Unsupported key to sort tensors by"):
        analyzer.list_tensors(["-s", "colour"])
    with pytest.raises(SyntaxError):
        analyzer.evaluate_expression(["1 +"])
    with pytest.raises(FileNotFoundError):
        analyzer.print_source(["nowhere.py"])
    with pytest.raises(IndexError):
        analyzer.print_tensor(["y:0[7]"])


def test_a_number_is_saved_as_well_as_an_array(made: tuple[DebugAnalyzer, str], tmp_path: Path) -> None:
    for expression, expected in (("np.sum(`x:0`)", 1.0), ("float(np.max(`x:0`))", 1.0), ("`x:0`", [1.0, 0.0])):
        path = tmp_path / "value.npy"
        told = made[0].evaluate_expression([expression, "-w", str(path)]).lines
        assert any(line.startswith(f"Saved value to: {path}") for line in told)
        np.testing.assert_array_equal(np.load(path), expected)


def test_a_source_where_nothing_is_scrolled_begins_at_its_line(made: tuple[DebugAnalyzer, str]) -> None:
    analyzer, path = made
    commands = {name: (show, arguments) for name, _, show, arguments in analyzer._analyzer.all_commands()}
    show, arguments = commands["print_source"]
    assert show(arguments.parse_args([path, "-b", "2"]))[0].startswith("L2 ")
    assert analyzer.print_source([path, "-b", "2"]).lines[0].startswith("L1 ")
