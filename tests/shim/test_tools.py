"""TensorFlow's command-line tools under their modules' names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import headrace as tf
from headrace.shim.installed import Installation
from headrace.shim.tools import ADVICE, COMMAND_OF


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )


@pytest.mark.parametrize("tool", sorted(COMMAND_OF))
def test_each_tool_shows_its_options(tool):
    done = run("-m", "headrace", "-m", tool, "--help")
    assert done.returncode == 0, done.stderr
    assert f"python -m {tool}" in " ".join(done.stdout.split())


@pytest.mark.parametrize("tool", sorted(ADVICE))
def test_what_is_not_here_says_what_to_do(tool):
    done = run("-m", "headrace", "-m", tool, "--infile", "x.py")
    assert done.returncode == 1
    assert done.stderr.startswith(tool.rpartition(".")[2])


def test_a_graph_is_frozen_and_shown(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=[1.0, 2.0])
        tf.multiply(v, 3.0, name="out")
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, str(tmp_path / "model"))
        tf.train.write_graph(sess.graph, str(tmp_path), "graph.pbtxt")
    options = {
        "input_graph": tmp_path / "graph.pbtxt",
        "input_checkpoint": tmp_path / "model",
        "output_graph": tmp_path / "frozen.pb",
        "output_node_names": "out",
    }
    tools = "tensorflow.python.tools"
    done = run("-m", "headrace", "-m", f"{tools}.freeze_graph", *(f"--{key}={value}" for key, value in options.items()))
    assert done.returncode == 0, done.stderr
    shown = (f"--model_dir={tmp_path / 'frozen.pb'}", f"--log_dir={tmp_path / 'logs'}")
    done = run("-m", "headrace", "-m", f"{tools}.import_pb_to_tensorboard", *shown)
    assert done.returncode == 0, done.stderr
    (events,) = (tmp_path / "logs").iterdir()
    graphs = [event.graph_def for event in tf.train.summary_iterator(str(events)) if event.graph_def]
    (graph_def,) = map(tf.GraphDef.FromString, graphs)
    assert {node.name: node.op for node in graph_def.node}["v"] == "Const"


def test_commands_are_installed_beside_python_and_removed(tmp_path):
    site, commands = tmp_path / "lib" / "site-packages", tmp_path / "bin"
    commands.mkdir()
    (commands / "saved_model_cli").write_text("somebody else's")
    installation = Installation(site, commands, sys.executable)
    for _ in range(2):
        installation.install()
    assert sorted(path.name for path in commands.iterdir()) == ["freeze_graph", "saved_model_cli", "tf_upgrade_v2"]
    assert "../../bin/freeze_graph,sha256=" in next(site.glob("*.dist-info/RECORD")).read_text()
    module = (site / "tensorflow" / "contrib" / "slim" / "__init__.py").read_text().splitlines()
    assert module[0] == "from headrace.contrib.slim import *"
    assert "from tensorflow.contrib.slim import nets as nets" in module
    assert "__getattr__" in (site / "tensorflow" / "python" / "ops" / "array_ops.py").read_text()
    paths = os.pathsep.join([str(site), str(Path(tf.__file__).parent.parent)])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([commands / "freeze_graph", "--help"], capture_output=True, text=True, env=environment)
    assert "Make the variables of a graph constants" in done.stdout, done.stderr
    assert run(commands / "tf_upgrade_v2", env=environment).returncode == 1
    assert installation.remove()
    assert [path.name for path in commands.iterdir()] == ["saved_model_cli"]
    assert list(site.iterdir()) == []
    assert not installation.remove()
