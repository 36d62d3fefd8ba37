"""The classes that the debugger's commands are made of, as programs and tests of 1.15 use them."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.debug.cli import cli_config, cli_shared, command_parser, tensor_format
from tensorflow.python.debug.cli import debugger_cli_common as common
from tensorflow.python.debug.lib import common as lib_common
from tensorflow.python.debug.lib import debug_graphs, source_utils

results = {}
folder = tempfile.mkdtemp()


def told(text):
    segments = {str(row): [[a, b, attribute(c)] for a, b, c in found] for row, found in text.font_attr_segs.items()}
    notes = {str(key): note(value) for key, value in text.annotations.items()}
    return {"lines": list(text.lines), "segments": segments, "notes": notes}


def attribute(value):
    if isinstance(value, common.MenuItem):
        return ["item", value.caption, value.content, value.is_enabled()]
    return [attribute(item) for item in value] if isinstance(value, list) else value


def note(value):
    if isinstance(value, common.Menu):
        return value.captions()
    if isinstance(value, dict):
        return {key: str(item) for key, item in value.items()}
    return value if isinstance(value, (list, str, int)) else str(value)


def outcome(function, *arguments, **named):
    try:
        return ["gave", function(*arguments, **named)]
    except (ValueError, TypeError, KeyError, LookupError, SyntaxError, AttributeError) as error:
        return [type(error).__name__, str(error)[:50]]


# ---- lines ----
plain = common.RichTextLines(
    ["Roses are red", "Violets are blue", "Sugar is sweet"],
    font_attr_segs={0: [(0, 5, "red")], 1: [(0, 7, "blue"), (8, 11, "bold")]},
    annotations={0: "first", 2: "last", "whole": "poem"},
)
results["slice"] = told(plain.slice(1, 3))
results["slice errors"] = [outcome(plain.slice, -1, 1), outcome(common.RichTextLines, 5)]
found = common.regex_find(plain, r"\w*re\w*|u", "yellow")
results["find"] = told(found)
results["find bad"] = outcome(common.regex_find, plain, "(", "red")
wrapped, rows = common.wrap_rich_text_lines(plain, 6)
results["wrapped"] = [told(wrapped), rows]
results["wrap errors"] = [
    outcome(common.wrap_rich_text_lines, ["a"], 3),
    outcome(common.wrap_rich_text_lines, plain, "3"),
]
grown = common.RichTextLines("one", font_attr_segs={0: [(0, 1, "red")]}, annotations={0: "a"})
grown.extend(common.RichTextLines(["two", "three"], font_attr_segs={1: [(0, 2, "green")]}, annotations={1: "b"}))
grown.append("four", [(1, 2, "cyan")])
grown.append_rich_line(common.RichLine("fi", "bold") + common.RichLine("ve") + "!" + common.RichLine("?", "red"))
grown.prepend("zero", font_attr_segs=[(0, 4, "white")])
results["grown"] = told(grown)
results["count"] = grown.num_lines()
grown.write_to_file(os.path.join(folder, "lines"))
with open(os.path.join(folder, "lines")) as lines_file:
    results["written"] = lines_file.read()
results["line errors"] = [outcome(lambda: common.RichLine("a") + 3)]
results["line length"] = len(common.RichLine("abc"))

# ---- menus ----
menu = common.Menu()
first, second = common.MenuItem("water", "water flow"), common.MenuItem("fire", "fire burn", enabled=False)
menu.append(first)
menu.append(second)
menu.insert(1, common.MenuItem("earth", "earth stay"))
results["menu"] = [menu.captions(), menu.num_items(), menu.caption_to_item("fire").content]
results["menu missing"] = outcome(menu.caption_to_item, "air")[0]
results["menu line"] = told(
    menu.format_as_single_line(prefix="Menu: ", divider=", ", enabled_item_attrs="underline", disabled_item_attrs="red")
)
second.enable()
first.disable()
results["menu other"] = told(menu.format_as_single_line())

# ---- commands ----
registry = common.CommandHandlerRegistry()


def echo(argv, screen_info=None):
    return common.RichTextLines(list(argv) + [str(screen_info)])


def fails(argv, screen_info=None):
    raise RuntimeError("no")


def wrong(argv, screen_info=None):
    return "text"


def leaves(argv, screen_info=None):
    raise common.CommandLineExit(exit_token="token")


def misread(argv, screen_info=None):
    raise SystemExit(2)


registry.register_command_handler("echo", echo, "Echo\nthe words.", prefix_aliases=["e", "say"])
for name, handler in (("fails", fails), ("wrong", wrong), ("leaves", leaves), ("misread", misread)):
    registry.register_command_handler(name, handler, "Does: " + name)
results["echo"] = registry.dispatch_command("e", ["a", "b"], screen_info={"cols": 80}).lines
results["failed"] = registry.dispatch_command("fails", ["x"]).lines[:3]
results["misread"] = registry.dispatch_command("misread", []).lines
results["bad commands"] = [
    outcome(registry.dispatch_command, "", []),
    outcome(registry.dispatch_command, "beep", []),
    outcome(registry.dispatch_command, "wrong", []),
    outcome(registry.register_command_handler, "", echo, ""),
    outcome(registry.register_command_handler, "echo", echo, ""),
    outcome(registry.register_command_handler, "new", 1, ""),
    outcome(registry.register_command_handler, "new", echo, 1),
    outcome(registry.register_command_handler, "new", echo, "", prefix_aliases=["e"]),
]
try:
    registry.dispatch_command("leaves", [])
except common.CommandLineExit as leave:
    results["left"] = leave.exit_token
results["registered"] = [registry.is_registered(word) for word in ("echo", "say", "help", "ver", "nothing")]
results["help"] = registry.get_help("say").lines + registry.get_help("nothing").lines
registry.set_help_intro(common.RichTextLines(["Welcome.", ""]))
results["all help"] = registry.get_help().lines[:14]
results["help command"] = registry.dispatch_command("help", ["a", "b"]).lines
results["version"] = registry.dispatch_command("version", []).lines[0].split(":")[0]

# ---- completions and history ----
completions = common.TabCompletionRegistry()
completions.register_tab_comp_context(["print_tensor", "pt"], ["node_b:1", "node_b:2", "node_a:1"])
completions.register_tab_comp_context(["node_info"], ["node_c", "node_a"])
results["completed"] = [
    list(completions.get_completions(*pair))
    for pair in (("pt", "node_"), ("pt", "node_b"), ("pt", "x"), ("node_info", ""), ("other", ""))
]
completions.remove_comp_items("print_tensor", ["node_a:1"])
completions.extend_comp_items("pt", ["node_A:1", "node_0"])
results["completed later"] = [list(completions.get_completions(word, "node")) for word in ("pt", "print_tensor")]
results["completion errors"] = [
    outcome(completions.extend_comp_items, "foo", [])[0],
    outcome(completions.remove_comp_items, "foo", [])[0],
    outcome(completions.deregister_context, ["node_info", "foo"])[0],
    outcome(completions.register_tab_comp_context, "pt", []),
    outcome(completions.register_tab_comp_context, ["pt"], "x"),
]
completions.deregister_context(["pt"])
results["deregistered"] = [list(completions.get_completions(w, "node_a")) for w in ("pt", "print_tensor", "node_info")]
path = os.path.join(folder, "history")
history = common.CommandHistory(limit=3, history_file_path=path)
for command in ("help", "pt a", "pt a", "pt b", "help 2"):
    history.add_command(command)
again = common.CommandHistory(limit=3, history_file_path=path)
results["history"] = [
    history.most_recent_n(2), history.most_recent_n(9), history.lookup_prefix("pt", 5), again.most_recent_n(9),
    outcome(history.add_command, 5)[0],
]  # fmt: skip

# ---- arguments ----
commands = (
    "",
    "help",
    "  pt   a:0[0, :]  -r '[1, 2]' ",
    'eval "np.sum(`a:0`, axis=1)" -a',
    "pt a > /tmp/x y",
    "run -f 'has inf'",
    "lp -f >10ms",
)
results["words"] = [command_parser.parse_command(command) for command in commands]
lines = (
    ["pt", "a:0"], ["pt", "a:0", ">", "f.txt"], ["pt", "a:0", ">f.txt"], ["pt", "a:0>f.txt"], ["pt", "a:0>", "f.txt"],
    ["pt", "a:0", ">"], ["lp", "-t", ">100ms"], ["lp", "-t", ">100ms", ">f"], ["eval", "a>=b"], [], ["lp", ">5ms"],
)  # fmt: skip
results["redirections"] = [outcome(command_parser.extract_output_file_path, list(words)) for words in lines]
results["slicing"] = [command_parser.parse_tensor_name_with_slicing(t) for t in ("h/W:0", "h/W:0[1, :]")]
results["slicings"] = [
    command_parser.validate_slicing_string(text) for text in ("[1]", "[:, 1:2]", "[", "1", "[a]", "[1 2]", "[]", "[-1]")
]
grid = np.arange(12.0).reshape(3, 4)
results["sliced"] = [
    command_parser.evaluate_tensor_slice(grid, text) for text in ("[1]", "[:, 1]", "[0:2, ::2]", "[1,2]")
]
results["slice error"] = outcome(command_parser.evaluate_tensor_slice, grid, "[x]")
results["indices"] = [command_parser.parse_indices(text) for text in ("0", "[1, 2]", "3,4")]
results["indices error"] = outcome(command_parser.parse_indices, "[1, a]")[0]
results["ranges"] = [
    outcome(command_parser.parse_ranges, text)
    for text in ("", "[0, 1]", "[[-inf, -1], [1.5, inf]]", "[[0,1],[2]]", "[['a', 1]]")
]
results["intervals"] = []
for text in ("[10kB, 20kB]", "(10k,20k)", "<100M", "<=1G", ">5", ">=1.5MB", "[20, 10]", "5", "[1]", "[a, 2]", ">a"):
    given = outcome(command_parser.parse_memory_interval, text)
    if given[0] == "gave":
        between = given[1]
        given = [between.start, between.start_included, str(between.end), between.end_included, between.contains(15000)]
    results["intervals"].append(given)
results["times"] = [
    outcome(command_parser.parse_readable_time_str, text) for text in ("100", "10us", " 8ms", "1.5s", "-1", "0")
]
results["sizes"] = [
    outcome(command_parser.parse_readable_size_str, text) for text in ("0", "1023B", "1.5kB", "24 MB", "1G", "x", "")
]
between = command_parser.parse_time_interval("[1ms, 2s)")
results["time interval"] = [between.start, between.end, between.start_included, between.end_included]
results["equal intervals"] = command_parser.Interval(1, True, 2, False) == command_parser.Interval(1, True, 2, False)
parsed = command_parser.get_print_tensor_argparser("Print.").parse_args(["a:0", "-n", "2", "-r", "[0,1]", "-a", "-s"])
results["parsed"] = [parsed.tensor_name, parsed.number, parsed.ranges, parsed.print_all, parsed.numeric_summary]

# ---- tensors ----
small = np.array([[1.5, -2.25, 3.0], [float("nan"), float("inf"), 0.0]])
results["small"] = told(tensor_format.format_tensor(small, "a:0", include_metadata=True))
results["labelled"] = told(tensor_format.format_tensor(np.arange(3), "a:0:DebugIdentity"))
results["unlabelled"] = told(tensor_format.format_tensor(np.arange(3), None))
results["none"] = told(tensor_format.format_tensor(None, "a:0"))
results["scalar"] = tensor_format.format_tensor(np.array(5.0), "a:0").lines
large = tensor_format.format_tensor(
    np.arange(1000.0).reshape(20, 50), "big:0", np_printoptions={"threshold": 100, "edgeitems": 2, "linewidth": 75}
)
results["large"] = told(large)
places = ([0, 0], [1, 1], [5, 0], [18, 48], [19, 49], [0, 30])
results["places"] = [list(tensor_format.locate_tensor_element(large, place)) for place in places]
results["all places"] = [list(part) for part in tensor_format.locate_tensor_element(large, [[0, 1], [1, 0], [19, 0]])]
results["place errors"] = [
    outcome(tensor_format.locate_tensor_element, large, bad) for bad in ([0], [20, 0], [0, -1], [[1, 0], [0, 0]])
] + [outcome(tensor_format.locate_tensor_element, common.RichTextLines("a"), [0])]
pointed = tensor_format.HighlightOptions(lambda x: x > 1.0, description="above one", font_attr="green")
results["pointed"] = told(
    tensor_format.format_tensor(np.array([[0.5, 1.5], [2.5, 0.25]]), "a:0", highlight_options=pointed)
)
np.set_printoptions(threshold=1000, edgeitems=3, linewidth=75)
summaries = [small, np.array([True, False, True]), np.array([1, -2, 3], np.int64), np.array([]), np.array(["a"])]
results["summaries"] = [[line.split() for line in tensor_format.numeric_summary(value).lines] for value in summaries]

# ---- shared ----
results["error"] = told(cli_shared.error("bad"))
results["described"] = cli_shared.format_tensor(
    np.arange(6.0).reshape(2, 3), "a:0", {"linewidth": 80}, tensor_slicing="[:, 1]", include_numeric_summary=False
).lines
results["options"] = [cli_shared.numpy_printoptions_from_screen_info(info) for info in ({"cols": 70}, {}, None)]
options = cli_shared.parse_ranges_highlight("[[-inf, 0], [2, 3]]")
results["in ranges"] = [options.criterion(np.arange(-1.0, 5.0)), options.description]
results["readable"] = [
    cli_shared.bytes_to_readable_str(n, b) for n in (None, 0, 1500, 3 << 20, 5 << 30) for b in (0, 1)
]
results["readable times"] = [cli_shared.time_to_readable_str(n) for n in (0, 5, 1500, 2500000)] + [
    cli_shared.time_to_readable_str(1500, "s"), outcome(cli_shared.time_to_readable_str, 1, "min")[0]
]  # fmt: skip
x = tf.placeholder(tf.float32, name="x")
y = tf.identity(x, name="y")
results["intro"] = told(cli_shared.get_run_start_intro(3, [y, {"k": "z:0"}], {x: 1.0}, {"mine": None}))
results["intro empty"] = cli_shared.get_run_start_intro(1, y, None, {}).lines[:12]
results["intro runner"] = cli_shared.get_run_start_intro(1, y, None, {}, is_callable_runner=True).lines[:5]
results["short"] = [
    cli_shared.get_run_short_description(2, y, {x: 1.0}),
    cli_shared.get_run_short_description(2, [y, x], None),
    cli_shared.get_run_short_description(2, [y], {x: 1, y: 2}),
    cli_shared.get_run_short_description(2, "y:0", {"x:0": 1}),
    cli_shared.get_run_short_description(1, y, None, is_callable_runner=True),
]
failure = tf.errors.InvalidArgumentError(None, y.op, "It is wrong")
intro = cli_shared.get_error_intro(failure)
results["failure"] = [line for line in intro.lines[:14] if not line.startswith("Error type")]
results["failure links"] = told(intro)["segments"]

# ---- settings ----
config = cli_config.CLIConfig(os.path.join(folder, "config"))
calls = []
config.set_callback("graph_recursion_depth", lambda values: calls.append(values["graph_recursion_depth"]))
results["config"] = [config.get("graph_recursion_depth"), config.get("mouse_mode")]
config.set("graph_recursion_depth", "5")
config.set("mouse_mode", "off")
results["configured"] = [config.get("graph_recursion_depth"), config.get("mouse_mode"), calls]
results["config errors"] = [
    outcome(config.get, "none")[0], outcome(config.set, "none", 1)[0], outcome(config.set, "mouse_mode", "maybe")[0],
    outcome(config.set_callback, "none", print)[0], outcome(config.set_callback, "mouse_mode", 1)[0],
]  # fmt: skip
results["config again"] = cli_config.CLIConfig(os.path.join(folder, "config")).get("graph_recursion_depth")
results["config lines"] = told(config.summarize(highlight="mouse_mode"))

# ---- graphs and sources ----
results["names"] = [
    debug_graphs.parse_node_or_tensor_name("ns/a:1"), debug_graphs.get_node_name("ns/a:1"),
    debug_graphs.get_output_slot("ns/a"), debug_graphs.is_copy_node("__copy_a_0"), debug_graphs.is_debug_node("a"),
    outcome(debug_graphs.parse_debug_node_name, "__dbg_ns_a/ns_b/node_c:1_0_DebugIdentity"),
    outcome(debug_graphs.parse_debug_node_name, "__copy_a:0_0_DebugIdentity"),
    outcome(debug_graphs.parse_debug_node_name, "__dbg_a"),
    outcome(debug_graphs.parse_debug_node_name, "__dbg_a_0_DebugIdentity"),
]  # fmt: skip
edges = {"d": ["b", "c:1"], "b": ["a"], "c": ["a"], "a": []}
tracer = debug_graphs.DFSGraphTracer([edges], skip_node_names=[])
tracer.trace("d:0")
results["traced"] = [sorted({debug_graphs.get_node_name(name) for name in tracer.inputs()}), tracer.inputs()[0]]
tracer = debug_graphs.DFSGraphTracer([edges], skip_node_names=[], destination_node_name="a")
try:
    tracer.trace("d")
except debug_graphs.GraphTracingReachedDestination:
    results["reached"] = True
results["run key"] = [lib_common.get_run_key({x: 1}, [y]) != "", lib_common.get_run_key([], ["y:0"])]
results["flattened"] = lib_common.get_flattened_names([y, (x, "z:0"), {"a": y.op}])
results["sources"] = [
    source_utils.is_extension_uncompiled_python_source("a/b.py"),
    source_utils.is_extension_compiled_python_source("a/b.pyc"),
    source_utils.guess_is_tensorflow_py_library("/tmp/a.py"),
    outcome(source_utils.guess_is_tensorflow_py_library, "/tmp/a.txt"),
]
