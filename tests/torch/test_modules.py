"""Graphs as modules of PyTorch, checkpoints as state dicts, models converted."""

from __future__ import annotations

import copy
import pathlib
import zipfile

import numpy as np
import pytest
import torch
from click.testing import CliRunner

import headrace as tf
import headrace.torch as onward
from headrace.cli.commands import headrace
from headrace.torch.conversion import module_of

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "graphs"


def arrays(name):
    with np.load(FIXTURES / name) as file:
        return dict(file)


@pytest.fixture
def model():
    """A module, and the graph and session it was made from."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        ids = tf.placeholder(tf.int32, [None], name="ids")
        w = tf.get_variable("a/w", [3, 2], initializer=tf.random_normal_initializer(seed=1))
        b = tf.get_variable("b", [2], use_resource=True)
        factor = tf.Variable(2.0, trainable=False, name="factor")
        table = tf.get_variable("table", [5, 2])
        y = tf.nn.softmax(tf.matmul(x, w) + b) * factor + tf.nn.embedding_lookup(table, ids)
        fetches = {"y": y, "more": [tf.argmax(y, 1), tf.reduce_sum(tf.square(y))]}
        session.run(tf.global_variables_initializer())
        feeds = {x: np.random.RandomState(0).randn(4, 3).astype(np.float32), ids: np.array([0, 1, 1, 4], np.int32)}
        made = onward.to_module(fetches, [x, "ids:0"], session)
        yield made, graph, session, fetches, feeds, [x, w, b, table]


def test_it_gives_what_the_session_gives(model):
    module, _, session, fetches, feeds, _ = model
    expected = session.run(fetches, feeds)
    got = module(*feeds.values())
    np.testing.assert_allclose(got["y"].detach(), expected["y"], rtol=1e-6)
    np.testing.assert_array_equal(got["more"][0], expected["more"][0])
    assert {name for name, _ in module.named_parameters()} == {"a__w", "b", "table"}
    assert [name for name, _ in module.named_buffers()] == ["factor"]


def test_gradients_are_those_of_the_graph(model):
    module, _, session, fetches, feeds, wanted = model
    x, ids = feeds.values()
    x = torch.from_numpy(x).requires_grad_()
    module(x, ids=ids)["more"][1].backward()
    expected = session.run([tf.convert_to_tensor(g) for g in tf.gradients(fetches["more"][1], wanted)], feeds)
    got = [x.grad, module.a__w.grad, module.b.grad, module.table.grad]
    for a, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-5, atol=1e-6)


def test_it_trains_without_touching_the_session(model):
    module, _, session, fetches, feeds, _ = model
    before = session.run(fetches["y"], feeds)
    optimizer = torch.optim.Adam(module.parameters(), 0.05)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = module(*feeds.values())["more"][1]
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    np.testing.assert_array_equal(session.run(fetches["y"], feeds), before)


def test_copies_and_files_of_it_are_alike(model, tmp_path):
    module, _, session, fetches, feeds, _ = model
    expected = module(*feeds.values())["y"]
    module.save(tmp_path / "module.pt")
    for again in (copy.deepcopy(module), onward.load(tmp_path / "module.pt")):
        torch.testing.assert_close(again(*feeds.values())["y"], expected)
    onward.to_checkpoint(module.named_variables(), tmp_path / "model")
    with session.graph.as_default():
        tf.train.Saver().restore(session, str(tmp_path / "model"))
    np.testing.assert_allclose(session.run(fetches["y"], feeds), expected.detach(), rtol=1e-6)
    state = onward.from_checkpoint(tmp_path / "model")
    assert {name: tuple(tensor.shape) for name, tensor in state.items()} == {
        "a/w": (3, 2), "b": (2,), "factor": (), "table": (5, 2),
    }  # fmt: skip


def test_what_it_refuses(model):
    module, graph, session, _, feeds, _ = model
    with pytest.raises(TypeError, match="2 inputs"):
        module(feeds)
    with pytest.raises(TypeError, match="no input"):
        module(*feeds.values(), other=1)
    with graph.as_default():
        change = tf.assign(graph.get_collection("variables")[1], [0.0, 0.0])
    with pytest.raises(ValueError, match="change variables"):
        onward.to_module(change, [], session)


def test_strings_go_through():
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.placeholder(tf.string, [None], name="words")
        module = onward.to_module([tf.string_join([words, "!"]), tf.strings.length(words)], [words], session)
    joined, lengths = module(np.array([b"a", b"bcd"], object))
    assert list(joined) == [b"a!", b"bcd!"]
    assert lengths.tolist() == [1, 3]


def test_a_saved_model_of_tensorflow():
    data = arrays("serving.npz")
    module = onward.from_saved_model(FIXTURES / "saved_model")
    y = module(data["x"])["y"]
    np.testing.assert_allclose(y.detach(), data["y"], rtol=1e-5)
    y.sum().backward()
    assert module.w.grad.shape == (4, 3)


def test_functions_that_are_given_variables_are_refused():
    with pytest.raises(NotImplementedError, match=r"If .* gives variables to the functions"):
        onward.from_saved_model(FIXTURES.parent / "saved_model_tf2")


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("saved_model", ()),
        ("frozen.pb", ("--outputs", "y:0")),
        ("frozen.pbtxt", ()),
        ("mlp/model.meta", ("--inputs", "x", "--outputs", "probabilities")),
    ],
)
def test_models_converted_by_the_command(tmp_path, source, options):
    target = tmp_path / "model.pt"
    done = CliRunner().invoke(headrace, ["convert", str(FIXTURES / source), "-o", str(target), *options])
    assert done.exit_code == 0, done.output
    module = onward.load(target)
    if "mlp" in source:
        batch = arrays("mlp/batch.npz")["x"]
        np.testing.assert_allclose(module(batch)["probabilities"].detach().sum(1), np.ones(16), rtol=1e-5)
    else:
        data = arrays("serving.npz")
        np.testing.assert_allclose(module(data["x"])["y"].detach(), data["y"], rtol=1e-5)


@pytest.mark.parametrize("source", ["saved_model", "mlp/model", "mlp/model.meta", "frozen.pb"])
def test_weights_as_safetensors(tmp_path, source):
    safetensors = pytest.importorskip("safetensors.torch")
    target = tmp_path / "model.safetensors"
    done = CliRunner().invoke(headrace, ["convert", str(FIXTURES / source), "-o", str(target), "--to", "safetensors"])
    assert done.exit_code == 0, done.output
    found = safetensors.load_file(target)
    shapes = {(8, 16), (16, 4)} if "mlp" in source else {(4, 3), (3,)}
    assert shapes <= {tuple(tensor.shape) for tensor in found.values()}


def test_what_cannot_be_converted_is_told(tmp_path):
    target = str(tmp_path / "out")
    for source, to, word in (("mlp", "onnx", "no SavedModel"), ("batch", "torch", "no SavedModel")):
        done = CliRunner().invoke(headrace, ["convert", str(FIXTURES / source), "-o", target, "--to", to])
        assert done.exit_code == 1
        assert word in done.output


OBJECTS = pathlib.Path(__file__).parent.parent / "fixtures" / "objects"


@pytest.mark.parametrize("name", ["tf1", "tf2"])
def test_models_of_objects_become_modules(name):
    module = onward.from_saved_model(OBJECTS / name)
    assert {name for name, _ in module.named_parameters()} == {"Variable", "a"}
    got = module(torch.tensor([[1.0, 2.0]]), torch.eye(2))
    assert got["product"].tolist() == [[2.0, 4.0]]
    assert got["sum"].item() == 3.0
    got["product"].sum().backward()
    assert module.a.grad.tolist() == [1.0, 1.0]


def test_models_of_objects_become_onnx(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    from headrace.torch.conversion import convert

    convert(str(OBJECTS / "tf2"), str(tmp_path / "model.onnx"), "onnx")
    model = runtime.InferenceSession(str(tmp_path / "model.onnx"))
    values = [np.float32([[1, 2]]), np.eye(2, dtype=np.float32)]
    answers = model.run(None, {i.name: value for i, value in zip(model.get_inputs(), values)})
    assert sorted(np.ravel(answer).tolist() for answer in answers) == [[2.0, 4.0], [3.0]]


def test_the_output_of_a_checkpoint_is_found_beside_summaries_and_savers(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        y = tf.nn.softmax(tf.layers.dense(x, 2), name="y")
        tf.summary.histogram("seen", y)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "m"))
        expected = session.run(y, {x: np.ones([2, 3])})
    found = module_of(str(tmp_path / "m.meta"))(torch.ones(2, 3))
    np.testing.assert_allclose(found["y"].detach().numpy(), expected, rtol=1e-6)


def test_outputs_that_are_not_clear_are_asked_for(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.identity(x * 2.0, name="double")
        tf.identity(x + 1.0, name="more")
        tf.train.write_graph(session.graph_def, str(tmp_path), "g.pb", as_text=False)
    with pytest.raises(ValueError, match=r"--outputs .*double \(\?, 3\), more"):
        module_of(str(tmp_path / "g.pb"))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("graph_def", None),
        ("graph_def", b"\xff\xff"),
        ("graph_def", b"\x0a\x06\x0a\x01a\x12\x01b"),
        ("inputs", [1]),
        ("inputs", ["nope:0"]),
        ("outputs", b"x"),
        ("outputs", {"a": None}),
        ("variables", [1]),
        ("variables", {"a": 1}),
        ("variables", {1: torch.zeros(1)}),
        ("variables", {"forward": torch.zeros(1)}),
        ("variables", {"": torch.zeros(1)}),
        ("variables", {"a": torch.zeros(1).expand(1 << 45)}),
        ("trainable", "x"),
    ],
)
def test_files_of_modules_that_contradict_themselves(model, tmp_path, part, value):
    module, *_ = model
    path = tmp_path / "module.pt"
    module.save(path)
    torch.save({**torch.load(path), part: value}, path)
    with pytest.raises((ValueError, tf.errors.OpError), match=r"module\.pt"):
        onward.load(path)


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04" + b"x" * 50, b"\x80\x02K\x01.", bytes(range(256))])
def test_files_that_hold_no_module(tmp_path, content):
    path = tmp_path / "module.pt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"module\.pt was not written by GraphModule\.save"):
        onward.load(path)


def test_compressed_modules_are_refused(tmp_path):
    """A file of kilobytes may be gigabytes inside; `save` stores its parts as they are."""
    path = tmp_path / "module.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\0" * 1000)
    with pytest.raises(ValueError, match="compressed"):
        onward.load(path)


def test_a_module_is_exported_with_a_batch_of_any_size():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 5], "x")
        logits = tf.nn.softmax(tf.layers.dense(tf.layers.dense(x, 4, activation=tf.nn.relu), 3))
        sess.run(tf.global_variables_initializer())
        module = tf.torch.to_module(logits, [x], sess)
    batch = torch.export.Dim("batch")
    exported = torch.export.export(module, (torch.ones(2, 5),), dynamic_shapes={"args": ({0: batch},)})
    given = torch.rand(7, 5)
    torch.testing.assert_close(exported.module()(given), module(given))
    assert {node.target for node in exported.graph.nodes if node.op == "call_function"} >= {torch.ops.aten.relu.default}


def test_a_convolutional_module_is_exported():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 8, 8, 1], "x")
        convolved = tf.layers.conv2d(x, 4, 3, strides=2, padding="same", activation=tf.nn.relu)
        logits = tf.layers.dense(tf.layers.flatten(tf.layers.max_pooling2d(convolved, 2, 2)), 3)
        sess.run(tf.global_variables_initializer())
        module = tf.torch.to_module(logits, [x], sess)
    exported = torch.export.export(module, (torch.ones(2, 8, 8, 1),))
    given = torch.rand(2, 8, 8, 1)
    torch.testing.assert_close(exported.module()(given), module(given))


def test_pools_and_losses_are_differentiated():
    images = np.random.RandomState(0).randn(2, 6, 6, 3).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 6, 6, 3], "x")
        pooled = tf.nn.max_pool(x, 3, 2, "SAME")
        logits = tf.reshape(pooled, [-1, 27])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant([3, 20]), logits=logits)
        roots = tf.where(pooled > 0.0, tf.sqrt(pooled), tf.zeros_like(pooled))
        total = tf.reduce_sum(losses) + tf.reduce_sum(roots)
        expected = sess.run(tf.gradients(total, x)[0], {x: images})
        module = onward.to_module(total, [x], sess)
    given = torch.tensor(images, requires_grad=True)
    module(given).backward()
    np.testing.assert_allclose(given.grad, expected, rtol=1e-5, atol=1e-6)
