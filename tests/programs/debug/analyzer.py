"""The commands that look into a dump, registered and dispatched as 1.15's tests do."""

import os
import re
import tempfile

import tensorflow as tf
from tensorflow.python import debug as tf_debug
from tensorflow.python.debug.cli import analyzer_cli, cli_config
from tensorflow.python.debug.cli import debugger_cli_common as common

results = {}
folder = tempfile.mkdtemp()

with tf.Graph().as_default() as graph, tf.Session() as sess, tf.device("/cpu:0"):
    u = tf.Variable([[5.0, 3.0], [-1.0, 0.0]], name="simple/u")
    v = tf.Variable([[2.0], [-1.0]], name="simple/v")
    w = tf.matmul(u, v, name="simple/matmul")
    with tf.control_dependencies([v.initializer]):
        x = tf.add(w, w, name="simple/add")
    sess.run(u.initializer)
    sess.run(v.initializer)
    options = tf.RunOptions(output_partition_graphs=True)
    tf_debug.watch_graph(options, graph, debug_urls="file://" + folder)
    metadata = tf.RunMetadata()
    sess.run(x, options=options, run_metadata=metadata)
    dump = tf_debug.DebugDumpDir(folder, partition_graphs=metadata.partition_graphs)
    dump.set_python_graph(graph)

config = cli_config.CLIConfig(os.path.join(tempfile.mkdtemp(), "config"))
analyzer = analyzer_cli.DebugAnalyzer(dump, config=config)
registry = common.CommandHandlerRegistry()
for name, short, handler in (
    ("list_tensors", "lt", analyzer.list_tensors),
    ("node_info", "ni", analyzer.node_info),
    ("list_inputs", "li", analyzer.list_inputs),
    ("list_outputs", "lo", analyzer.list_outputs),
    ("print_tensor", "pt", analyzer.print_tensor),
    ("print_source", "ps", analyzer.print_source),
    ("list_source", "ls", analyzer.list_source),
    ("eval", "ev", analyzer.evaluate_expression),
):
    registry.register_command_handler(name, handler, analyzer.get_help(name), prefix_aliases=[short])


def told(*words):
    lines = registry.dispatch_command(words[0], list(words[1:])).lines
    return [re.sub(r"\s+", " ", re.sub(r"\d+\.\d{3}\b(?!\d)|0x\w+|:\d+:\d+: ", "T", line)).strip() for line in lines]


def listed(*words):
    lines = told("lt", *words)
    rows = sorted(line.split()[-1] for line in lines if line.startswith("[T]") and "simple" in line)
    return [row for row in rows if not row.endswith("/read:0")]


analyzer.add_tensor_filter("has_bad", tf_debug.has_inf_or_nan)
analyzer.add_tensor_filter("small", lambda datum, tensor: getattr(tensor, "size", 9) == 2)
results["tensors"] = listed()
results["of type"] = listed("-t", "Mat.*")
results["of name"] = listed("-n", ".*add.*")
results["heads"] = [told("lt", "-t", "Mat.*", "-n", "s.*")[:4], told("lt", "-f", "has_bad")]
results["small"] = listed("-f", "small")
results["no filter"] = told("lt", "-f", "none")
ordered = told("lt", "-s", "tensor_name", "-r", "-n", ".*(add|matmul)$")[-2:]
results["sorted"] = [line.split()[-1] for line in ordered]
results["node"] = told("ni", "simple/add")
results["node of tensor"] = told("ni", "simple/matmul:0")[:3]
results["dumps"] = told("ni", "-d", "simple/matmul")[-3:]
told_all = told("ni", "-a", "simple/add")
results["attributes"] = [line for line in told_all[told_all.index("Node attributes:") :] if line]
results["no node"] = told("ni", "nothing")
results["inputs"] = told("li", "simple/add")
results["all inputs"] = told("li", "-r", "-t", "-d", "2", "simple/add")[:6]
results["no inputs of"] = told("li", "nothing")
results["outputs"] = told("lo", "simple/matmul")
results["printed"] = told("pt", "simple/matmul:0")
results["slice"] = told("pt", "simple/matmul:0[1, :]", "-r", "[-3, 0]")
results["no tensor"] = told("pt", "nothing:0")
results["no slot"] = told("pt", "simple/matmul:3")
results["number"] = told("pt", "simple/matmul:0", "-n", "2")
results["value"] = told("ev", "`simple/matmul:0` * 2")[:5]
results["misread"] = told("pt")
results["filters"] = [analyzer.get_tensor_filter("small") is not None]
for given, filter_ in ((1, len), ("", len), ("a", 1)):
    try:
        analyzer.add_tensor_filter(given, filter_)
    except (TypeError, ValueError) as error:
        results["filters"].append([type(error).__name__, str(error)])
try:
    analyzer.get_tensor_filter("gone")
except ValueError as error:
    results["filters"].append(str(error))
menu = registry.dispatch_command("ni", ["simple/add"]).annotations[common.MAIN_MENU_KEY]
results["menu"] = [
    [caption, menu.caption_to_item(caption).is_enabled(), menu.caption_to_item(caption).content]
    for caption in menu.captions()
]
