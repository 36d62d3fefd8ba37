"""PyTorch functions and modules in the graph, checked against PyTorch itself and by finite differences."""

import numpy as np
import pytest
import torch

import headrace as tf


def test_function_and_gradient_equal_torchs():
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [3])
    z = tf.torch_func(lambda a, b: torch.sin(a) * b, [x, y], shapes=[None, 3])
    gradients = tf.gradients(z, [x, y])
    xs, ys = np.linspace(-1, 1, 6).reshape(2, 3).astype(np.float32), np.array([1, 2, 3], np.float32)
    with tf.Session() as session:
        value, dx, dy = session.run([z, *gradients], {x: xs, y: ys})
    np.testing.assert_allclose(value, np.sin(xs) * ys, rtol=1e-6)
    np.testing.assert_allclose(dx, np.cos(xs) * ys, rtol=1e-6)
    np.testing.assert_allclose(dy, np.sin(xs).sum(0), rtol=1e-6)
    assert z.shape.as_list() == [None, 3]


def test_module_trains_as_variables():
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    before = module[0].weight.detach().numpy().copy()
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.placeholder(tf.float32, [None, 1])
    loss = tf.reduce_mean(tf.square(tf.torch_func(module, x, name="net") - y))
    step = tf.train.AdamOptimizer(0.05).minimize(loss)
    assert [v.op.name for v in tf.trainable_variables()] == ["net/0/weight", "net/0/bias", "net/2/weight", "net/2/bias"]
    rng = np.random.RandomState(0)
    xs = rng.randn(64, 2).astype(np.float32)
    ys = (xs[:, :1] * xs[:, 1:]).astype(np.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(tf.trainable_variables()[0]), before)
        first = session.run(loss, {x: xs, y: ys})
        for _ in range(200):
            session.run(step, {x: xs, y: ys})
        assert session.run(loss, {x: xs, y: ys}) < 0.2 * first


def test_gradient_agrees_with_finite_differences():
    x = tf.constant(np.linspace(0.1, 0.9, 4))
    y = tf.torch_func(lambda a: torch.cumsum(a * a, 0), x, shapes=[4])
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [4], y, [4]) < 1e-6


def test_several_outputs_one_without_gradient():
    x = tf.constant([3.0, 1.0, 2.0])
    values, order = tf.torch_func(lambda a: torch.sort(a), x, Tout=[tf.float32, tf.int64])
    gradient = tf.gradients(values * [1.0, 10.0, 100.0], x)[0]
    with tf.Session() as session:
        values, order, gradient = session.run([values, order, gradient])
    assert values.tolist() == [1, 2, 3]
    assert order.tolist() == [1, 2, 0]
    assert gradient.tolist() == [100, 1, 10]


def test_wrong_type_and_count_are_told():
    x = tf.constant([1.0])
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Tout"):
            session.run(tf.torch_func(lambda a: a.double(), x))
        with pytest.raises(tf.errors.InvalidArgumentError, match="2 values"):
            session.run(tf.torch_func(lambda a: (a, a), x))
    with pytest.raises(TypeError):
        tf.torch_func(3, x)


def test_a_saved_model_does_not_call_the_programs_functions(tmp_path):
    called = []
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.torch_func(lambda x: called.append(x) or x, [tf.constant([42.0])])
        builder = tf.saved_model.builder.SavedModelBuilder(folder)
        builder.add_meta_graph_and_variables(session, ["serve"], main_op=tf.group(made))
        builder.save()
        with (
            tf.Graph().as_default(),
            tf.Session() as other,
            pytest.raises(tf.errors.InvalidArgumentError, match="TorchFunc"),
        ):
            tf.saved_model.loader.load(other, ["serve"], folder)
    assert called == []


def test_functions_are_found_from_copies_of_the_graph_and_not_by_counting():
    with tf.Graph().as_default() as graph:
        tf.torch_func(lambda x: 2 * x, [tf.constant([21.0])], name="double")
    graph_def = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        (copy,) = tf.import_graph_def(graph_def, return_elements=["double:0"])
        assert session.run(copy).tolist() == [42.0]
    node = next(node for node in graph_def.node if node.op == "TorchFunc")
    number = node.attr["token"].s.split(b"_")[2]
    for token in (b"torch_func_" + number, b"torch_func_0", b""):
        node.attr["token"].s = token
        with tf.Graph().as_default(), tf.Session() as session:
            (copy,) = tf.import_graph_def(graph_def, return_elements=["double:0"])
            with pytest.raises(tf.errors.InvalidArgumentError, match="is not in this process"):
                session.run(copy)
