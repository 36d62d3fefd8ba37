"""`headrace explain --passes`: the plans, and before each how its graph came to be."""

from click.testing import CliRunner

from headrace.cli.commands import headrace
from headrace.core.defaults import reset_default_graph

PROGRAM = """
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2], name="x")
w = tf.constant([[1.0], [2.0]], name="w")
y = tf.add(tf.matmul(x, w, name="product"), tf.constant([0.5], name="b"), name="y")
z = tf.exp(x, name="z")
with tf.Session() as session:
    print(session.run(y, {x: [[1.0, 1.0]]}))
    session.run(z, {x: [[1.0, 1.0]]})
"""


def explained(tmp_path, *options):
    reset_default_graph()
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = CliRunner().invoke(headrace, ["explain", *options, str(path)])
    assert done.exit_code == 0, done.output
    return done.output


def test_each_plan_shows_the_passes_that_changed_it(tmp_path):
    output = explained(tmp_path, "--passes")
    first, second = output.split("# plan 2 of 2")
    assert first.index("# collected: 4 nodes") < first.index("# simplify: ") < first.index("# bias: ")
    bias = first[first.index("# bias: ") :]
    assert "  - product = MatMul(x, [[1.0], [2.0]])" in bias
    assert "  + y = _MatMulBias(x, [[1.0], [2.0]], [0.5])" in bias
    assert first.index("# bias: ") < first.index("def step(f0):")
    assert "# collected: 1 node\n    z = Exp(x)\n\ndef step(f0):" in second


def test_without_passes_it_prints_what_it_printed(tmp_path):
    plain, passes = explained(tmp_path), explained(tmp_path, "--passes")
    assert "collected" not in plain
    assert set(plain.splitlines()) <= set(passes.splitlines())
    only = explained(tmp_path, "--passes", "--last")
    assert "z = Exp(x)" in only
    assert "MatMul" not in only
