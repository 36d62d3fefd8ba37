"""`headrace explain --passes`: the plans, and before each how its graph came to be."""

import re

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


def explained(tmp_path, *options, program=PROGRAM):
    reset_default_graph()
    path = tmp_path / "program.py"
    path.write_text(program)
    done = CliRunner().invoke(headrace, ["explain", *options, str(path)])
    assert done.exit_code == 0, done.output
    return done.output


def test_each_plan_shows_the_passes_that_changed_it(tmp_path):
    output = explained(tmp_path, "--passes")
    first, second = output.split("# plan 2 of 2")
    assert first.index("# collected: 4 nodes") < first.index("# simplify: ") < first.index("# bias: ")
    bias = first[first.index("# bias: ") :]
    assert "  - product = MatMul(x, [[1.0], [2.0]]): into y = _MatMulBias" in bias
    assert "  + y = _MatMulBias(x, [[1.0], [2.0]], [0.5])" in bias
    assert first.index("# bias: ") < first.index("def step(f0):")
    assert "# collected: 1 node\n    z = Exp(x)\n\n# 1 node: calls of kernels 1\n\ndef step(f0):" in second


def test_without_passes_it_prints_what_it_printed(tmp_path):
    plain, passes = explained(tmp_path), explained(tmp_path, "--passes")
    assert "collected" not in plain
    assert set(plain.splitlines()) <= set(passes.splitlines())
    only = explained(tmp_path, "--passes", "--last")
    assert "z = Exp(x)" in only
    assert "MatMul" not in only


def test_the_changes_of_one_node_alone(tmp_path):
    output = explained(tmp_path, "--node", "product:0")
    assert output.count("# plan ") == 1
    assert "    product = MatMul(x, w)" in output
    assert "  - product = MatMul(x, [[1.0], [2.0]]): into y = _MatMulBias" in output
    assert "def step" not in output
    assert "Exp" not in output
    assert "# no plan has a node 'produkt'; there is product" in explained(tmp_path, "--node", "produkt")


# Half floats, which no native region has.
LOOP = """
import tensorflow as tf

x = tf.placeholder(tf.float16, [3], name="x")
p = tf.placeholder(tf.bool, [], name="p")
y = tf.while_loop(lambda i, t: tf.reduce_sum(t) < 9.0,
                  lambda i, t: (i + 1, tf.cond(p, lambda: t * 2.0, lambda: t + tf.cast(i, tf.float16))),
                  [0.0, x])[1]
with tf.Session() as session:
    session.run([y, tf.cond(p, lambda: tf.exp(x), lambda: tf.sin(x))], {x: [1.0, 1.0, 1.0], p: True})
"""


def test_the_calls_that_are_counted_are_those_of_the_source(tmp_path):
    output = explained(tmp_path, "--passes", program=LOOP)
    source = output[output.index("def step(") :]
    calls = len(re.findall(r"\w+_\d+\(", source))
    assert f"planned as {calls} calls" in output
    assert f": calls of kernels {calls}, " in output
    assert calls >= 4


def test_what_regions_leave_is_named(tmp_path):
    output = explained(tmp_path, "--regions", program=LOOP)
    share = re.search(r"# outside of regions: (\d+) of (\d+) ops \((\d+)%\): (.*)", output)
    assert share is not None
    outside, ops, percent = (int(number) for number in share.groups()[:3])
    assert 0 < outside <= ops
    assert percent == round(100 * outside / ops)
    assert "Exp 1" in share[4]
