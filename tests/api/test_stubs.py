"""What type checkers know of the public names, where the package is installed."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import pytest

from headrace.shim.installed import Installation

ROOT = Path(__file__).resolve().parent.parent.parent
STUBS = ROOT / "headrace-stubs"

pytest.importorskip("mypy")


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """What mypy says of a program, line by line, in an environment that has the package."""
    folder = tmp_path_factory.mktemp("typed")
    venv.create(folder / "environment", with_pip=False)
    inside = folder / "environment" / ("Scripts" if sys.platform == "win32" else "bin")
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([inside / "python", "-c", asked], capture_output=True, text=True, check=True).stdout
    for name in ("headrace", "headrace-stubs"):
        (Path(packages.strip()) / name).symlink_to(ROOT / name)
    Installation(Path(packages.strip())).install()

    def check(program: str) -> list[str]:
        file = folder / "program.py"
        file.write_text(program, encoding="utf-8")
        command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", str(folder / "cache")]
        command += ["--python-executable", str(inside / "python"), file.name]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert not said.stderr, said.stderr
        return said.stdout.splitlines()

    return check


def test_types_of_common_calls(checked):
    program = """
        import headrace as tf
        x = tf.placeholder(tf.float32, [None, 3])
        reveal_type(x)
        reveal_type(tf.square(x))
        reveal_type(tf.layers.dense(x, 3))
        reveal_type(tf.cast(x, tf.int32) + tf.reduce_sum(tf.abs(-x)))
        reveal_type(tf.distribute.MirroredStrategy(["/cpu:0"]))
        tf.layers.dnse(x, 3)
        tf.train.AdamOptimiser(0.1)
        tf.layers.dense(x)
        """
    said = [line.split(": ", 1)[1] for line in checked(textwrap.dedent(program))]
    tensor = 'note: Revealed type is "headrace.core.tensor.Tensor"'
    assert said[:4] == [tensor] * 4
    assert said[4] == 'note: Revealed type is "headrace.distribute.mirrored.MirroredStrategyV1"'
    assert [line.partition("[")[2] for line in said[5:] if "error" in line] == [
        "attr-defined]",
        "attr-defined]",
        "call-arg]",
    ]


def test_programs_of_those_years_have_no_mistakes(checked):
    program = """
        import tensorflow as tf
        import tensorflow.contrib.slim as slim
        import tensorflow.compat.v1 as v1
        from tensorflow.examples.tutorials.mnist import input_data
        from tensorflow.python.framework import ops
        hparams = tf.contrib.training.HParams(rate=0.1)
        hparams.rate = 0.5 * hparams.rate
        with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
            table = tf.get_variable("table", [9, 3])
        x = tf.nn.embedding_lookup(table, [1, 2])
        size = 2 * x.shape.as_list()[-1], [1] * x.shape.ndims, 1 + [1]
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.contrib.rnn.AttentionCellWrapper(tf.nn.rnn_cell.GRUCell(3), 2)])
        loss = tf.nn.nce_loss(table, tf.zeros([9]), [[1]], [[1.0, 2.0, 3.0]], 2, 9)
        rate = tf.train.exponential_decay(0.1, tf.train.get_or_create_global_step(), 10, 0.9)
        data = tf.data.Dataset.from_generator(iter, ((tf.int32, tf.string), tf.int32), (([], [None]), []))
        data = data.apply(tf.contrib.data.map_and_batch(lambda *parts: parts, 2)).padded_batch(2, (([], [None]), []))
        tf.keras.layers.Dense(3, kernel_regularizer=tf.keras.regularizers.l2(0.1))
        slim.learning.train(tf.no_op(), "log")
        tf.logging.info(x.shape)
        print(tf.__version__, v1.layers.dense(x, 2), input_data.read_data_sets, ops.get_default_graph())
        """
    assert checked(textwrap.dedent(program)) == [
        # The one that is one.
        'program.py:12: error: Unsupported operand types for + ("int" and "list[int]")  [operator]'
    ]


def test_every_name_of_a_stub_is_one(checked):
    lines = ["import headrace as tf"]
    for stub in sorted(STUBS.rglob("*.pyi")):
        path = ".".join(["tf", *stub.relative_to(STUBS).with_suffix("").parts]).removesuffix(".__init__")
        (names,) = [
            ast.literal_eval(node.value)
            for node in ast.parse(stub.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == "__all__"
        ]
        lines += [f"{path}.{name}" for name in names]
    assert len(lines) > 4000
    assert checked("\n".join(lines)) == []
