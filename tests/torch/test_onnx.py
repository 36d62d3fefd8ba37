"""Modules written as ONNX give what the session gives."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from click.testing import CliRunner

import headrace as tf
import headrace.torch as onward
from headrace.cli.commands import headrace

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "graphs"


def answers(path, feeds):
    """What a model's file gives."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, feeds)


def compare(fetches, feeds, session, path, more=()):
    """Writes and runs a model; the same file has to do for all feeds."""
    module = onward.to_module(fetches, list(feeds), session)
    onward.to_onnx(module, path)
    for given in (feeds, *more):
        expected = session.run(module._flat_outputs, given)
        got = answers(path, {tensor.op.name: value for tensor, value in given.items()})
        for a, e in zip(got, expected, strict=True):
            assert a.dtype == e.dtype
            np.testing.assert_allclose(a, e, rtol=1e-5, atol=1e-5)


def normal(*shape):
    return np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32)


def test_a_network_of_layers_takes_batches_of_any_size(tmp_path):
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 8], name="x")
        y = tf.nn.softmax(tf.layers.dense(tf.layers.dense(x, 16, tf.nn.relu), 4))
        session.run(tf.global_variables_initializer())
        compare({"y": y}, {x: normal(3, 8)}, session, tmp_path / "m.onnx", [{x: normal(7, 8)}])
    model = onnx.load(tmp_path / "m.onnx")
    assert [value.name for value in model.graph.input] == ["x"]
    assert [value.name for value in model.graph.output] == ["y"]
    assert {"dense/kernel", "dense/bias"} <= {tensor.name for tensor in model.graph.initializer}


@pytest.mark.parametrize("padding", ["same", "valid"])
def test_a_convolutional_network(tmp_path, padding):
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 13, 13, 3], name="x")
        training = tf.placeholder_with_default(False, [], name="training")
        h = tf.layers.conv2d(x, 8, 3, 2, padding, activation=tf.nn.relu)
        h = tf.layers.batch_normalization(h, training=training)
        h = tf.layers.max_pooling2d(h, 3, 2, padding)
        h = tf.layers.separable_conv2d(h, 6, 2, padding=padding)
        h = tf.layers.conv2d_transpose(tf.layers.average_pooling2d(h, 2, 1, "same"), 3, 2, 3, padding)
        h = tf.layers.conv2d_transpose(h, 4, 3, 2, padding)
        h = tf.image.resize_bilinear(tf.nn.lrn(h), [9, 9])
        h = tf.layers.dropout(tf.layers.flatten(h), training=training)
        y = tf.layers.dense(h, 5)
        session.run(tf.global_variables_initializer())
        compare(y, {x: normal(3, 13, 13, 3)}, session, tmp_path / "m.onnx", [{x: normal(1, 13, 13, 3)}])


def test_pictures_of_any_size(tmp_path):
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None, None, 2], name="x")
        h = tf.layers.conv2d(x, 4, 3, 2, "same")
        y = tf.reduce_mean(tf.layers.max_pooling2d(h, 2, 2, "same"), [1, 2])
        session.run(tf.global_variables_initializer())
        compare(y, {x: normal(2, 9, 12, 2)}, session, tmp_path / "m.onnx", [{x: normal(1, 14, 7, 2)}])


def test_batch_statistics_cannot_be_written(tmp_path):
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4, 4, 2])
        y = tf.layers.batch_normalization(x, training=True)
        session.run(tf.global_variables_initializer())
        with pytest.raises(NotImplementedError, match=r"FusedBatchNormV3.*is_training"):
            onward.to_onnx(onward.to_module(y, [x], session))


@pytest.mark.parametrize("kind", ["static", "dynamic", "lengths", "both ways"])
def test_recurrent_networks_over_embeddings(tmp_path, kind):
    with tf.Session() as session:
        ids = tf.placeholder(tf.int32, [None, 6], name="ids")
        lengths = tf.placeholder(tf.int32, [None], name="lengths")
        embedded = tf.nn.embedding_lookup(tf.get_variable("table", [20, 5]), ids)
        cell, other = tf.nn.rnn_cell.LSTMCell(7), tf.nn.rnn_cell.GRUCell(4)
        if kind == "static":
            outputs, (_, state) = tf.nn.static_rnn(cell, tf.unstack(embedded, 6, 1), dtype=tf.float32)
            outputs = outputs[-1]
        elif kind == "dynamic":
            outputs, (_, state) = tf.nn.dynamic_rnn(cell, embedded, dtype=tf.float32)
        elif kind == "lengths":
            outputs, state = tf.nn.dynamic_rnn(other, embedded, lengths, dtype=tf.float32)
        else:
            outputs, (_, state) = tf.nn.bidirectional_dynamic_rnn(cell, other, embedded, lengths, dtype=tf.float32)
            outputs = tf.concat(outputs, 2)
        session.run(tf.global_variables_initializer())
        random = np.random.RandomState(0)
        feeds = []
        for given in ([2, 6, 4], [5, 1]):
            feeds.append({ids: random.randint(20, size=(len(given), 6)).astype(np.int32)})
            if kind in ("lengths", "both ways"):
                feeds[-1][lengths] = np.array(given, np.int32)
        compare([outputs, state], feeds[0], session, tmp_path / "m.onnx", feeds[1:])


def test_loops_and_branches(tmp_path):
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        n = tf.placeholder(tf.int32, [], name="n")
        w = tf.get_variable("w", [3, 3])

        def body(i, h):
            inner = tf.cond(
                tf.equal(i % 2, 0),
                lambda: tf.tanh(tf.matmul(h, w)),
                lambda: tf.while_loop(lambda j, _: j < i, lambda j, g: (j + 1, g * 0.5 + x), [0, h])[1],
            )
            return i + 1, inner

        steps, y = tf.while_loop(lambda i, _: i < n, body, [0, x])
        session.run(tf.global_variables_initializer())
        more = [{x: normal(1, 3), n: np.array(count, np.int32)} for count in (0, 1, 5)]
        compare([steps, y], {x: normal(4, 3), n: np.array(4, np.int32)}, session, tmp_path / "m.onnx", more)


X = np.array([[1.5, -2.0, 0.25, -0.75], [3.0, 0.5, -1.25, 2.0], [0.0, 4.0, 1.0, -3.0]], np.float32)
I = np.array([[7, -7, 3, -1], [5, 2, -9, 4], [0, 1, -2, 6]], np.int32)  # noqa: E741 (a counterpart of X)
OPS = {
    "arithmetic": lambda x, i: [x + 2, x - x, x * x, x / 3, -x, x**2, tf.abs(x), tf.sign(x), tf.square(x)],
    "integers": lambda x, i: [i // 3, i // -2, i % 3, i % -4, tf.truncatediv(i, 2), tf.truncatemod(i, 3), x // 0.7, x % 0.7],
    "exponentials": lambda x, i: [tf.exp(x), tf.log1p(tf.abs(x)), tf.expm1(x), tf.sqrt(tf.abs(x)), tf.rsqrt(x * x + 1)],
    "rounding": lambda x, i: [tf.floor(x), tf.ceil(x), tf.round(x), tf.rint(x), tf.cast(x, tf.int32), tf.cast(i, tf.int64)],
    "trigonometry": lambda x, i: [tf.sin(x), tf.cos(x), tf.tanh(x), tf.atan(x), tf.erf(x), tf.sinh(x)],
    "activations": lambda x, i: [
        tf.nn.relu6(x * 3), tf.nn.elu(x), tf.nn.selu(x), tf.nn.leaky_relu(x, 0.3), tf.nn.softplus(x), tf.nn.softsign(x),
        tf.sigmoid(x), tf.nn.log_softmax(x), tf.nn.softmax(x, 0), tf.nn.l2_normalize(x, 1), tf.clip_by_value(x, -1, 2),
    ],
    "comparisons": lambda x, i: [
        tf.where(x > 0, x, -x), tf.where([True, False, True], x, -x), tf.cast(tf.not_equal(i, 2), tf.int32),
        tf.reduce_any(i > 3, 1), tf.reduce_all(x < 4, 0), tf.is_nan(x), tf.is_finite(x), tf.where(i > 1),
        tf.logical_and(x > 0, i > 0), tf.maximum(x, 0.5), tf.div_no_nan(x, tf.nn.relu(x)),
    ],
    "reductions": lambda x, i: [
        tf.reduce_sum(x), tf.reduce_mean(x, 1, keepdims=True), tf.reduce_max(i, 0), tf.reduce_prod(x, [0, 1]),
        tf.argmax(x, 1), tf.argmin(x, 0, output_type=tf.int32), tf.cumsum(x, 1, exclusive=True, reverse=True),
        tf.nn.l2_loss(x), tf.reduce_logsumexp(x, 1), tf.norm(x, axis=1), tf.nn.moments(x, [0])[1], tf.reduce_sum(x, []),
    ],
    "slices": lambda x, i: [
        x[1], x[:, 1], x[:, -1], x[1:, ::2], x[..., ::-1], x[:, None, 1:3], x[-1:, :2], tf.slice(x, [0, 1], [-1, 2]),
        x[:, tf.newaxis, ..., tf.newaxis], x[: tf.shape(x)[0] - 1], x[tf.shape(x)[0] - 2 :], tf.reverse(x, [1]),
    ],
    "shapes": lambda x, i: [
        tf.shape(x), tf.size(x), tf.rank(x), tf.reshape(x, [-1, 2, 2]), tf.reshape(x, [tf.shape(x)[0] * 2, 2]),
        tf.expand_dims(x, 1), tf.squeeze(x[:, None], [1]), tf.transpose(x), tf.zeros_like(x), tf.ones_like(i),
        tf.fill([tf.shape(x)[0], 2], 3.0), tf.tile(x, [1, 2]), tf.range(tf.shape(x)[0]), tf.broadcast_to(x[:, :1], tf.shape(x)),
    ],
    "joining": lambda x, i: [
        tf.concat([x, -x], 1), tf.stack([x, x + 1], 1), *tf.unstack(x, axis=1), *tf.split(x, 2, 1),
        *tf.split(x, [1, -1], 1), tf.add_n([x, x, x]), tf.pad(x, [[1, 0], [0, 2]]), tf.pad(x, [[0, 0], [1, 2]], "REFLECT"),
        tf.pad(x, [[1, 1], [0, 0]], constant_values=2.0),
    ],
    "looking up": lambda x, i: [
        tf.gather(x, [2, 0]), tf.gather(x, [1, 1, 3], axis=1), tf.gather_nd(x, [[0, 1], [2, 3]]), *tf.nn.top_k(x, 2),
        tf.one_hot(i, 4), tf.one_hot(i[:, 0], 3, 2.0, -1.0, axis=0), tf.reverse_sequence(x, [1, 3, 2], 1),
        tf.boolean_mask(x, [True, False, True]), *tf.dynamic_partition(x, tf.abs(i) % 3, 3),
        tf.dynamic_stitch([[2, 0], 1], [x[:2], x[2]]),
        tf.nn.embedding_lookup([tf.ones([3, 2]), tf.zeros([3, 2]) - 1], tf.abs(i) % 6, "div"),
    ],
    "products": lambda x, i: [
        tf.matmul(x, x, transpose_b=True), tf.matmul(x[None], x[None], adjoint_a=True), tf.tensordot(x, x, [[0], [0]]),
        tf.nn.bias_add(x, [1.0, 2.0, 3.0, 4.0]), tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=x),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.abs(i[:, 1]) % 4, logits=x), tf.squared_difference(x, 1.0),
    ],
    "pictures": lambda x, i: [
        tf.space_to_depth(x[:, :, None, None] * tf.ones([1, 1, 2, 3]), 2),
        tf.depth_to_space(x[:, None, None, :] * tf.ones([1, 2, 1, 1]), 2),
        tf.image.resize_nearest_neighbor(tf.reshape(x, [-1, 2, 2, 1]), [3, 5]),
        tf.image.resize_bilinear(tf.reshape(x, [-1, 2, 2, 1]), [5, 3], align_corners=True),
        tf.image.resize_bilinear(tf.reshape(x, [-1, 2, 2, 1]), [5, 3], half_pixel_centers=True),
        tf.nn.convolution(
            tf.tile(tf.reshape(x, [-1, 4, 1, 1]), [1, 1, 4, 1]), tf.ones([3, 3, 1, 2]), "SAME", dilation_rate=[2, 2]
        ),
        tf.nn.conv3d(tf.reshape(x, [-1, 2, 2, 1, 1]), tf.ones([2, 2, 1, 1, 2]), [1, 1, 1, 1, 1], "SAME"),
        tf.layers.conv1d(tf.reshape(x, [-1, 4, 1]), 2, 3, kernel_initializer=tf.ones_initializer()),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", OPS)
def test_ops(tmp_path, name):
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        i = tf.placeholder(tf.int32, [None, 4], name="i")
        outputs = OPS[name](x, i)
        session.run(tf.global_variables_initializer())
        for number, output in enumerate(outputs):
            # A file each, so that the one that differs is seen.
            feeds = {t: v for t, v in ((x, X), (i, I)) if t.op in ancestors(output)}
            compare([output], feeds, session, tmp_path / f"{number}.onnx")


def ancestors(tensor):
    found, waiting = set(), [tensor.op]
    while waiting:
        op = waiting.pop()
        if op not in found:
            found.add(op)
            waiting += [t.op for t in op.inputs]
    return found


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
    target = tmp_path / "model.onnx"
    arguments = ["convert", str(FIXTURES / source), "--to", "onnx", "-o", str(target), *options]
    done = CliRunner().invoke(headrace, arguments)
    assert done.exit_code == 0, done.output
    with np.load(FIXTURES / ("mlp/batch.npz" if "mlp" in source else "serving.npz")) as file:
        data = dict(file)
    name = onnx.load(target).graph.input[0].name
    outputs = [value.name for value in onnx.load(target).graph.output]
    found = answers(target, {name: data["x"]})
    if "mlp" in source:
        np.testing.assert_allclose(found[0].sum(1), np.ones(16), rtol=1e-5)
    else:
        np.testing.assert_allclose(found[outputs.index("y") if "y" in outputs else 0], data["y"], rtol=1e-5)


def test_what_has_no_counterpart_is_named(tmp_path):
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        y = tf.matrix_determinant(x, name="det")
        module = onward.to_module(y, [x], session)
        with pytest.raises(NotImplementedError, match=r"MatrixDeterminant.*'det'"):
            onward.to_onnx(module)
        with pytest.raises(ValueError, match="placeholder 'x'"):
            onward.to_onnx(onward.to_module(tf.negative(x), [], session))
