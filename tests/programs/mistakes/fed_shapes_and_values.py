"""What kernels refuse when shapes and values show in the step alone: the classes and words of their errors."""

import numpy as np
import tensorflow as tf

results = {}
session = tf.Session()
feeds = {}
i = np.int32
a, b = np.ones(2, "f"), np.ones(3, "f")


def p(value):
    x = tf.placeholder(np.asarray(value).dtype)
    feeds[x] = value
    return x


def note(name, build):
    feeds.clear()
    try:
        results[name] = session.run(build(), feeds)
    except tf.errors.OpError as e:
        message = e.message.split("\n")[0].split(" (op ")[0].rstrip(".")
        results[name] = [type(e).__name__, message]


for name in ["ReluGrad", "Relu6Grad", "SoftplusGrad", "SoftsignGrad", "LeakyReluGrad"]:
    note(name, lambda: getattr(tf.raw_ops, name)(gradients=p(a), features=p(b)))
for name in ["EluGrad", "SeluGrad"]:
    note(name, lambda: getattr(tf.raw_ops, name)(gradients=p(a), outputs=p(b)))
note("onehot on", lambda: tf.one_hot(p(np.array([0, 1], i)), 3, p(np.array([1.0], "f")), p(np.float32(0))))
note("onehot off", lambda: tf.one_hot(p(np.array([0, 1], i)), 3, p(np.float32(1)), p(np.array([1.0], "f"))))
note("onehot depth", lambda: tf.one_hot(p(np.array([0, 1], i)), p(np.array([3], i))))
note("onehot depth-", lambda: tf.one_hot(p(np.array([0, 1], i)), p(np.array(-3, i))))
note("multi", lambda: tf.multinomial(p(np.ones((1, 2), "f")), p(np.array([3], i))))
note("bt", lambda: tf.broadcast_to(p(np.ones((2, 1), "f")), p(np.array([[2, 3]], i))))
note("bt-", lambda: tf.broadcast_to(p(np.ones((2, 1), "f")), p(np.array([-1, 3], i))))
note("bt2", lambda: tf.broadcast_to(p(np.ones((2, 2), "f")), p(np.array([2, 3], i))))
note("bt3", lambda: tf.broadcast_to(p(np.ones((2, 1), "f")), p(np.array([3], i))))
note("ld", lambda: tf.raw_ops.ListDiff(x=p(np.ones((1, 3), "f")), y=p(b)))
note("lu", lambda: tf.linalg.lu(p(np.ones((2, 3), "f"))))
note("lu1", lambda: tf.linalg.lu(p(np.ones((3), "f"))))
note("lus", lambda: tf.linalg.lu(p(np.zeros((2, 2), "f"))))
note("hsv", lambda: tf.image.hsv_to_rgb(p(np.ones((2, 2, 4), "f"))))
note("rgb", lambda: tf.image.rgb_to_hsv(p(np.ones((2, 2, 4), "f"))))
note(
    "greedy",
    lambda: tf.raw_ops.CTCGreedyDecoder(inputs=p(np.ones((3, 2, 4), "f")), sequence_length=p(np.array([3], i))),
)
note(
    "greedy2",
    lambda: tf.raw_ops.CTCGreedyDecoder(inputs=p(np.ones((3, 2, 4), "f")), sequence_length=p(np.array([3, 5], i))),
)
note(
    "beam",
    lambda: tf.raw_ops.CTCBeamSearchDecoder(
        inputs=p(np.ones((3, 2, 4), "f")), sequence_length=p(np.array([3, 5], i)), beam_width=2, top_paths=1
    ),
)
note(
    "beam2",
    lambda: tf.raw_ops.CTCBeamSearchDecoder(
        inputs=p(np.ones((3, 2, 4), "f")), sequence_length=p(np.array([3], i)), beam_width=2, top_paths=1
    ),
)
note(
    "ctc",
    lambda: tf.raw_ops.CTCLoss(
        inputs=p(np.ones((3, 2, 4), "f")),
        labels_indices=p(np.array([[0, 0]], np.int64)),
        labels_values=p(np.array([1], i)),
        sequence_length=p(np.array([3, 5], i)),
    ),
)
note("mp", lambda: tf.pad(p(np.ones((2, 2), "f")), p(np.array([[3, 0], [0, 0]], i)), "REFLECT"))
note("mps", lambda: tf.pad(p(np.ones((2, 2), "f")), p(np.array([[3, 0], [0, 0]], i)), "SYMMETRIC"))
note("mpn", lambda: tf.pad(p(np.ones((2, 2), "f")), p(np.array([[-1, 0], [0, 0]], i)), "SYMMETRIC"))
note("mpr", lambda: tf.pad(p(np.ones((2, 2), "f")), p(np.array([[1, 0]], i)), "SYMMETRIC"))
note("padn", lambda: tf.pad(p(np.ones((2, 2), "f")), p(np.array([[-1, 0], [0, 0]], i))))
note("rfft-", lambda: tf.spectral.rfft(p(np.ones((4), "f")), p(np.array([-2], i))))
note("irfft-", lambda: tf.spectral.irfft(p(np.ones((4), np.complex64)), p(np.array([-2], i))))
note("addn64", lambda: tf.add_n([p(np.ones(2, np.uint64)), p(np.ones(2, np.uint64))]))
note("addn", lambda: tf.add_n([p(a), p(b)]))
note("bias64", lambda: tf.nn.bias_add(p(np.ones((2, 3), np.uint64)), p(np.ones(3, np.uint64))))
note("relug64", lambda: tf.raw_ops.ReluGrad(gradients=p(np.ones(2, np.uint64)), features=p(np.ones(2, np.uint64))))
note("relu6g64", lambda: tf.raw_ops.Relu6Grad(gradients=p(np.ones(2, np.uint64)), features=p(np.ones(2, np.uint64))))
note("biasg64", lambda: tf.raw_ops.BiasAddGrad(out_backprop=p(np.ones((2, 3), np.uint64))))
note(
    "clip",
    lambda: tf.raw_ops.ClipByValue(
        t=p(np.ones((2, 3), "f")), clip_value_min=p(np.ones(1, "f")), clip_value_max=p(np.float32(2))
    ),
)
note("gnd", lambda: tf.gather_nd(p(np.ones((2, 3), "f")), p(np.array([[5, 0]], i))))
note("ga", lambda: tf.gather(p(np.ones((2, 3), "f")), p(np.array([5], i))))
note("snd", lambda: tf.scatter_nd(p(np.array([[7]], i)), p(np.ones(1, "f")), p(np.array([3], i))))
note("spl", lambda: tf.split(p(np.ones((5), "f")), 2))
note("splv", lambda: tf.split(p(np.ones((5), "f")), p(np.array([2, 2], i)), num=2))
note("tile", lambda: tf.tile(p(np.ones((5), "f")), p(np.array([2, 2], i))))
note("tr", lambda: tf.transpose(p(np.ones((5, 2), "f")), p(np.array([0, 0], i))))
note("cc", lambda: tf.concat([p(np.ones((5, 2), "f")), p(np.ones((4, 3), "f"))], 0))
note("pk", lambda: tf.stack([p(np.ones((5, 2), "f")), p(np.ones((4, 3), "f"))]))
note("chol", lambda: tf.cholesky(p(-np.ones((2, 2), "f"))))
note("chol2", lambda: tf.cholesky(p(-np.ones((2, 3), "f"))))
note("inv", lambda: tf.matrix_inverse(p(np.ones((2, 2), "f"))))
note("topk", lambda: tf.nn.top_k(p(np.ones((2, 2), "f")), p(np.array(5, i))))
note(
    "sx",
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=p(np.array([9], i)), logits=p(np.ones((1, 3), "f"))),
)
note(
    "sx2",
    lambda: tf.nn.softmax_cross_entropy_with_logits(labels=p(np.ones((2, 2), "f")), logits=p(np.ones((1, 3), "f"))),
)
note("fqa", lambda: tf.raw_ops.FakeQuantWithMinMaxArgsGradient(gradients=p(a), inputs=p(b)))
note("fqv", lambda: tf.raw_ops.FakeQuantWithMinMaxVarsGradient(gradients=p(a), inputs=p(b), min=0.0, max=1.0))
note("solve", lambda: tf.matrix_solve(p(np.ones((2, 2, 2), "f")), p(np.ones((1, 2, 2), "f"))))
