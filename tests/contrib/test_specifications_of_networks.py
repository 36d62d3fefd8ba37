"""Networks written as specifications: what they compute, which variables they have, what is told of them."""

import random

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.specs import composable, nets, operators, params

specs = tf.contrib.specs


def _value(tensor):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor)


def test_operators_put_functions_together():
    double = composable.Callable(lambda x: 2 * x)
    add = composable.Function(lambda x, y=0: x + y)
    assert (double | add(3)).funcall(5) == 13
    assert (double**3).funcall(1) == 8
    assert (double**0).funcall(7) == 7
    assert (double + add(1)).funcall(4) == 13
    assert (double * add(y=2)).funcall(4) == 48
    with pytest.raises(AssertionError):
        double**-1
    with pytest.raises(ValueError, match="is not callable"):
        composable.Function(3)


def test_positions_may_have_names():
    assert composable.get_positional([1], {"_2": 5, "a": 3}) == ([1, None, 5], {"a": 3})
    assert composable.get_positional([1], {"_0": 5}) == ([1], {})
    assert composable.get_positional([1], {"_0": 5}, kw_overrides=True) == ([5], {})
    power = composable.Function(lambda x, a, b: (x, a, b))
    assert power(_1=2, _0=1).funcall(0) == (0, 1, 2)


@pytest.mark.parametrize("word", ["import", "while", "def", "exec"])
def test_specifications_are_no_programs(word):
    with pytest.raises(ValueError, match=f"keyword '{word}' found"):
        nets.eval_spec(f"net = 1; {word} x")
    composable.check_keywords(f"net = Var('{word}')")


def test_a_network_of_a_specification():
    images = tf.placeholder(tf.float32, [2, 8, 8, 3])
    net = specs.create_net("net = (Cr(n, [5, 5]) | Mp([2, 2])) ** 2 | Flat | Fm(10)", images, {"n": 4})
    assert net.shape.as_list() == [2, 10]
    assert specs.tf_num_params(net) == (5 * 5 * 3 * 4 + 4) + (5 * 5 * 4 * 4 + 4) + (2 * 2 * 4 * 10 + 10)
    with pytest.raises(ValueError, match="failed to create 'net'"):
        specs.create_net("left = Fr(3)", images)


def test_shared_networks_have_one_set_of_variables():
    inputs = tf.ones([1, 3])
    specs.create_net("f = Shared(Fl(3)); net = f | f | f", inputs)
    first, second = [v.op.name for v in tf.global_variables()]
    assert first.endswith("/fully_connected/weights")
    assert second.endswith("/fully_connected/biases")
    named = operators.Shared(operators.Fl(2), name="mine")
    named.funcall(inputs)
    assert [v.op.name for v in tf.global_variables()][2:] == [
        "mine/fully_connected/weights",
        "mine/fully_connected/biases",
    ]
    with pytest.raises(ValueError, match="scope must be"):
        operators.Shared(operators.Idx(), scope="mine")
    with pytest.raises(ValueError, match="both a name and a scope"):
        operators.Shared(operators.Idx(), name="x", scope=tf.get_variable_scope())


def test_sums_and_sides():
    inputs = tf.constant([[1.0, -2.0]])
    np.testing.assert_array_equal(_value(specs.create_net("net = Relu + Id", inputs)), [[2, -2]])
    np.testing.assert_array_equal(_value(specs.create_net("net = Conc(1, Relu, Idx(), Reshape([1, 2]))", inputs)), [
        [1, 0, 1, -2, 1, -2]
    ])  # fmt: skip
    weights = specs.create_net('net = Var("w", initializer=[[3.0]])', None)
    np.testing.assert_array_equal(_value(weights), [[3]])


def test_words_are_there_in_a_block_only():
    assert "Fr" not in globals()
    with nets.ops:
        net = (Fr(2) | Fl(1)).funcall(tf.zeros([4, 3]))  # noqa: F821
    assert "Fr" not in globals()
    assert net.shape.as_list() == [4, 1]


def test_structures_are_postfix():
    dense = specs.tf_spec_structure("net = Fs(3)", input_shape=[2, 4])
    assert dense == "_ variablev2 dot variablev2 biasadd sig"
    x = tf.constant([1.0])
    assert specs.tf_structure(x + tf.identity(x)) == " _ <> addv2"
    assert specs.tf_structure(x, include_shapes=True) == " [1] _"


def test_summaries_tell_parameters_by_layer(capsys):
    specs.tf_spec_summary("net = Fr(5) | Fl(2)", input_shape=[3, 4])
    rows = [line.split(None, 2) for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["0", "Placeholder", "[3, 4]"],
        ["25", "fully_connected", "[3, 5]"],
        ["12", "fully_connected_1", "[3, 2]"],
    ]
    lines = []
    x = tf.constant([1.0], name="x")
    specs.tf_print(tf.add(x, x, name="sum"), printer=lines.append)
    assert lines == ["sum Add [1]", "  x Const [1]", "  <x> Const [1]"]


def test_random_parameters_lie_within_their_limits():
    random.seed(1)
    for _ in range(200):
        assert params.Ui(2, 4) in (2, 3, 4)
        assert params.Li(2, 4) in (2, 3, 4)
        assert 1 <= params.Lf(1.0, 10.0) <= 10
        assert 0 <= params.Uf() <= 1
        assert abs(params.Nt(1.0, 2.0, limit=0.5) - 1) <= 1
    found = nets.eval_params("n = Ui(3, 3); d = n + q", {"q": 4})
    assert found == {"n": 3, "d": 7, "q": 4}


def test_functions_of_other_modules():
    assert specs.External("math", "sqrt").funcall(16.0) == 4
    assert specs.Import("f = lambda x: x + 1").funcall(1) == 2
    with pytest.raises(ValueError, match="failed to define"):
        specs.Import("g = 1")
    with pytest.raises(KeyError):
        specs.External("math", "nothing")
