"""Eager execution: operations of all kinds on values."""

# ruff: noqa: B005, E741, SIM, RUF

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tfe = tf.contrib.eager
results = {}


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    if isinstance(value, dict):
        return {key: shown(item) for key, item in sorted(value.items())}
    if hasattr(value, "as_list"):
        return value.as_list()
    if hasattr(value, "numpy"):
        value = value.numpy()
    return "None" if value is None else np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else value


def keep(name, action):
    try:
        results[name] = shown(action())
    except Exception as error:
        results[name] = type(error).__name__


x = tf.constant(np.arange(12).reshape(2, 6) / 10.0, tf.float32)
ones = tf.ones_initializer()
C = tf.constant
f32 = tf.float32
# strings
keep(
    "st",
    lambda: [
        tf.strings.join(["a", "b"], "-"),
        tf.strings.split(["a b", "c"]).values,
        tf.strings.length("abc"),
        tf.strings.to_number("2.5"),
        tf.strings.substr("hello", 1, 3),
        tf.strings.regex_replace("abc", "b", "x"),
        tf.as_string(C([1.5, 2])),
        tf.strings.reduce_join(["a", "b"]),
        tf.string_to_hash_bucket_fast(["a"], 10),
        tf.strings.upper("a"),
        tf.strings.unicode_decode("ab", "UTF-8"),
        tf.strings.format("{}", C([1, 2])),
        tf.decode_raw("ab", tf.uint8),
        tf.encode_base64("ab"),
        tf.strings.strip(" a "),
        tf.strings.unicode_script([97]),
    ],
)
keep("st2", lambda: tf.strings.split(["a b", "c"], result_type="RaggedTensor").to_list())
keep("st3", lambda: tf.strings.ngrams(["a", "b", "c"], 2, separator=" "))
# sparse
sp = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
keep(
    "sp",
    lambda: [
        tf.sparse.to_dense(sp),
        tf.sparse.reduce_sum(sp),
        tf.sparse.add(sp, sp).values,
        tf.sparse_tensor_dense_matmul(sp, tf.ones([4, 2])),
        tf.sparse.transpose(sp).indices,
        tf.sparse.concat(0, [sp, sp]).dense_shape,
        tf.sparse.slice(sp, [0, 0], [1, 4]).indices,
        tf.sparse.reorder(sp).values,
        tf.sparse.softmax(sp).values,
        tf.sparse.reset_shape(sp).dense_shape,
        tf.sparse.retain(sp, [True, False]).values,
        tf.sparse.fill_empty_rows(sp, 0.0)[0].values,
    ],
)
keep("sp repr", lambda: str(sp))
keep(
    "sp grad",
    lambda: tfe.gradients_function(
        lambda v: tf.reduce_sum(tf.sparse.to_dense(tf.SparseTensor([[0, 1]], v, [2, 2])) ** 2)
    )(C([3.0])),
)
keep("sp ops", lambda: [(sp * 2.0).values if 0 else sp.__mul__(tf.ones([3, 4]) * 2).values, sp.shape, sp.get_shape()])
keep(
    "segs",
    lambda: [
        tf.segment_sum(x, C([0, 0])),
        tf.unsorted_segment_max(x, C([1, 0]), 3),
        tf.sparse.segment_mean(x, C([0, 1]), C([0, 0])),
    ],
)
keep(
    "emb sp",
    lambda: tf.nn.embedding_lookup_sparse(
        tf.eye(4), tf.SparseTensor([[0, 0], [1, 0]], C([1, 2], tf.int64), [2, 1]), None, combiner="mean"
    ),
)
# ragged
r = tf.ragged.constant([[1, 2], [], [3]])
keep(
    "rg",
    lambda: [
        r.to_tensor(),
        r.row_lengths(),
        (r + r).to_list(),
        tf.reduce_sum(r, axis=1),
        r[0],
        r[2][0],
        tf.concat([r, r], 0).to_list(),
        r.to_sparse().values,
        tf.ragged.range([2, 3]).to_list(),
        tf.ragged.map_flat_values(tf.square, r).to_list(),
        tf.gather(r, [2, 0]).to_list(),
        r.shape.as_list(),
        r.to_list(),
    ],
)
keep("rg repr", lambda: [str(r), repr(r)])
keep("rg iter", lambda: [q.numpy().tolist() for q in r])
# image
im = tf.reshape(tf.range(48.0) / 48.0, [1, 4, 4, 3])
keep(
    "im",
    lambda: [
        tf.image.resize_images(im, [2, 2]),
        tf.image.flip_left_right(im)[0, 0, 0],
        tf.image.adjust_brightness(im, 0.1)[0, 0, 0],
        tf.image.rgb_to_grayscale(im)[0, 0],
        tf.image.central_crop(im, 0.5).shape,
        tf.image.resize_image_with_crop_or_pad(im, 2, 6).shape,
        tf.image.per_image_standardization(im)[0, 0, 0],
        tf.image.rgb_to_hsv(im)[0, 0, 0],
        tf.image.total_variation(im),
        tf.image.psnr(im, im * 0.9, 1.0),
        tf.image.ssim(tf.tile(im, [1, 4, 4, 1]), tf.tile(im * 0.9, [1, 4, 4, 1]), 1.0),
        tf.image.convert_image_dtype(im, tf.uint8)[0, 0, 0],
        tf.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0]], [0.5], 1),
        tf.image.decode_png(tf.image.encode_png(tf.cast(im[0] * 255, tf.uint8)))[0, 0],
        tf.image.rot90(im[0]).shape,
        tf.image.adjust_hue(im, 0.1)[0, 0, 0],
        tf.image.draw_bounding_boxes(im, [[[0.0, 0.0, 1.0, 1.0]]])[0, 0, 0],
        tf.image.crop_and_resize(im, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2])[0, 0, 0],
        tf.image.sobel_edges(im)[0, 0, 0, 0],
        tf.image.pad_to_bounding_box(im, 1, 1, 6, 6).shape,
        tf.image.extract_image_patches(im, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID").shape,
    ],
)
# distributions
d = tf.distributions
keep(
    "dist",
    lambda: [
        d.Normal(0.0, 2.0).log_prob(1.0),
        d.Bernoulli(logits=0.5).mean(),
        d.Categorical(logits=[0.0, 1.0]).entropy(),
        d.Uniform(0.0, 2.0).cdf(0.5),
        d.kl_divergence(d.Normal(0.0, 1.0), d.Normal(1.0, 1.0)),
        d.Beta(1.0, 2.0).mean(),
        d.Dirichlet([1.0, 2.0]).variance(),
        d.Gamma(1.0, 2.0).stddev(),
        d.StudentT(3.0, 0.0, 1.0).prob(1.0),
        d.Laplace(0.0, 1.0).quantile(0.3),
        d.Multinomial(4.0, probs=[0.5, 0.5]).prob([2.0, 2.0]),
        d.Normal(0.0, 1.0).name,
    ],
)
keep("dist samp", lambda: d.Normal([0.0, 1.0], 2.0).sample(3, seed=1).shape)
keep("dist grad", lambda: tfe.gradients_function(lambda m: d.Normal(m, 1.0).log_prob(2.0))(0.5))
keep(
    "tfd",
    lambda: [
        tf.contrib.distributions.MultivariateNormalDiag([0.0, 0.0], [1.0, 2.0]).log_prob([1.0, 1.0]),
        tf.contrib.distributions.TransformedDistribution(
            d.Normal(0.0, 1.0), tf.contrib.distributions.bijectors.Exp()
        ).log_prob(2.0),
        tf.contrib.distributions.MixtureSameFamily(
            d.Categorical(probs=[0.3, 0.7]), d.Normal([0.0, 1.0], [1.0, 1.0])
        ).log_prob(0.5),
    ],
)
# linalg
L = tf.linalg
keep(
    "lo",
    lambda: [
        L.LinearOperatorDiag([1.0, 2.0]).matmul(tf.eye(2)),
        L.LinearOperatorFullMatrix([[2.0, 1.0], [1.0, 3.0]]).solve(tf.eye(2)),
        L.LinearOperatorIdentity(2).determinant(),
        L.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]]).log_abs_determinant(),
        L.LinearOperatorKronecker([L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorIdentity(2)]).to_dense(),
        L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0, 2.0])]).trace(),
        L.LinearOperatorComposition([L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorDiag([1.0, 2.0])]).diag_part(),
        L.LinearOperatorCirculant(tf.cast([1.0, 2.0, 3.0], tf.complex64)).to_dense(),
        L.LinearOperatorHouseholder([1.0, 0.0]).matvec([1.0, 2.0]),
    ],
)
keep(
    "la",
    lambda: [
        L.inv([[2.0, 0.0], [0.0, 4.0]]),
        L.det([[2.0, 1.0], [1.0, 2.0]]),
        L.svd([[2.0, 0.0], [0.0, 1.0]])[0],
        L.eigh([[2.0, 0.0], [0.0, 1.0]])[0],
        L.cholesky([[4.0, 0.0], [0.0, 9.0]]),
        L.qr(tf.eye(2))[1],
        L.lstsq(tf.eye(2), tf.ones([2, 1])),
        L.expm(tf.zeros([2, 2])),
        L.logm(tf.cast(tf.eye(2), tf.complex64)),
        L.einsum("ij,jk->ik", tf.eye(2), tf.ones([2, 2])),
        L.band_part(tf.ones([3, 3]), 0, 1),
        L.norm(x),
        L.tridiagonal_solve(tf.ones([3, 2]), tf.ones([2, 1])) if 0 else 0,
        L.triangular_solve(tf.eye(2), tf.ones([2, 1])),
        L.matrix_rank(tf.eye(3)) if hasattr(L, "matrix_rank") else 3,
    ],
)


# seq2seq
def s2s():
    S = tf.contrib.seq2seq
    with tf.variable_scope("s2", initializer=tf.constant_initializer(0.1)):
        c = tf.nn.rnn_cell.GRUCell(3)
        h = S.TrainingHelper(tf.ones([2, 3, 4]), [3, 2])
        dec = S.BasicDecoder(c, h, c.zero_state(2, f32), tf.layers.Dense(2, kernel_initializer=ones))
        o, s, l = S.dynamic_decode(dec)
        g = S.GreedyEmbeddingHelper(tf.eye(4), C([1, 2]), 0)
        c2 = tf.nn.rnn_cell.GRUCell(3)
        dec2 = S.BasicDecoder(c2, g, c2.zero_state(2, f32), tf.layers.Dense(4, kernel_initializer=ones))
        o2 = S.dynamic_decode(dec2, maximum_iterations=3)
        return [
            o.rnn_output,
            o.sample_id,
            s,
            l,
            o2[0].sample_id,
            S.sequence_loss(tf.ones([2, 3, 4]), tf.zeros([2, 3], tf.int32), tf.ones([2, 3])),
        ]


keep("s2s", s2s)


def beam():
    S = tf.contrib.seq2seq
    with tf.variable_scope("bm", initializer=tf.constant_initializer(0.1)):
        c = tf.nn.rnn_cell.GRUCell(3)
        st = S.tile_batch(c.zero_state(2, f32), 2)
        dec = S.BeamSearchDecoder(
            c,
            tf.eye(4),
            C([1, 2]),
            0,
            st,
            2,
            output_layer=tf.layers.Dense(
                4, kernel_initializer=ones, bias_initializer=tf.constant_initializer([0.1, 0.2, 0.3, 0.4])
            ),
        )
        return S.dynamic_decode(dec, maximum_iterations=3)[0].predicted_ids


keep("beam", beam)


def attn():
    S = tf.contrib.seq2seq
    with tf.variable_scope("at", initializer=tf.constant_initializer(0.1)):
        m = S.LuongAttention(3, tf.ones([2, 5, 4]), [5, 3])
        c = S.AttentionWrapper(tf.nn.rnn_cell.GRUCell(3), m, attention_layer_size=2)
        o, s = c(x[:, :4], c.zero_state(2, f32))
        return [o, s.alignments]


keep("attn", attn)
keep(
    "battn",
    lambda: (
        (lambda S: S.AttentionWrapper(tf.nn.rnn_cell.GRUCell(3), S.BahdanauAttention(3, tf.ones([2, 5, 4]))))(
            tf.contrib.seq2seq
        )(
            x,
            (lambda S: S.AttentionWrapper(tf.nn.rnn_cell.GRUCell(3), S.BahdanauAttention(3, tf.ones([2, 5, 4]))))(
                tf.contrib.seq2seq
            ).zero_state(2, f32),
        )[0].shape
    ),
)


# crf
def crf():
    R = tf.contrib.crf
    u = tf.reshape(tf.range(12.0), [1, 4, 3]) / 10
    t = tf.eye(3)
    return [
        R.crf_log_likelihood(u, C([[0, 1, 2, 0]]), C([4]), t)[0],
        R.crf_decode(u, t, C([4])),
        R.crf_sequence_score(u, C([[0, 1, 2, 0]]), C([3]), t),
        R.crf_log_norm(u, C([4]), t),
        R.viterbi_decode(u[0].numpy(), t.numpy()),
    ]


keep("crf", crf)
keep(
    "ctc",
    lambda: [
        tf.nn.ctc_loss(tf.SparseTensor([[0, 0]], C([1]), [1, 1]), tf.ones([3, 1, 3]), [3]),
        tf.nn.ctc_greedy_decoder(tf.reshape(tf.range(9.0), [3, 1, 3]), [3])[0][0].values,
    ],
)
# control flow & functional
keep(
    "cf",
    lambda: [
        tf.cond(C(True), lambda: 1, lambda: 2),
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [C(0)]),
        tf.case([(C(False), lambda: 1)], default=lambda: 5),
        tf.map_fn(lambda v: v * 2, x)[0],
        tf.scan(lambda a, b: a + b, C([1, 2, 3])),
        tf.foldl(lambda a, b: a + b, C([1, 2, 3])),
        tf.switch_case(C(1), [lambda: 1, lambda: 7]),
        tf.group(x),
        tf.tuple([x])[0].shape,
        tf.no_op(),
        tf.identity(x) is x,
    ],
)
keep("ta", lambda: (lambda ta: [ta.write(0, 1.0).write(1, 2.0).stack(), ta.size()])(tf.TensorArray(f32, 2)))
keep("tl", lambda: tf.while_loop(lambda i, q: i < 3, lambda i, q: (i + 1, q * 2), [0, x])[1][0])
keep(
    "grad while",
    lambda: tfe.gradients_function(
        lambda v: tf.while_loop(lambda i, q: i < 3, lambda i, q: (i + 1, q * v), [0, 1.0])[1]
    )(2.0),
)
keep(
    "random",
    lambda: [
        tf.set_random_seed(1) and 0,
        tf.random.normal([2]),
        tf.random.uniform([2], seed=4),
        tf.random.normal([2]),
        tf.random.shuffle([1, 2, 3], seed=1),
        tf.random.multinomial([[0.0, 1.0]], 3, seed=2),
        tf.random.truncated_normal([2], seed=3),
        tf.random.stateless_normal([2], [1, 2]),
        tf.random.gamma([2], 1.0, seed=1),
        tf.random.poisson(3.0, [2], seed=1),
    ],
)
keep("assert", lambda: tf.Assert(False, [C(1)]))
keep("assert2", lambda: tf.debugging.assert_equal(C(1), C(2)))
keep("check num", lambda: tf.debugging.check_numerics(C(float("nan")), "m"))
keep("print2", lambda: tf.Print(x, [x]).shape)
keep("q", lambda: (lambda q: [q.enqueue(3), q.size(), q.dequeue()])(tf.FIFOQueue(3, tf.int32)))
keep("grads", lambda: tf.gradients(x, x))
keep("ph", lambda: tf.placeholder(f32))
keep("numgrad", lambda: tf.test.compute_gradient(x, [2, 6], x, [2, 6]))
keep("hess", lambda: tf.hessians(x, x))
keep("clip", lambda: [tf.clip_by_value(x, 0.2, 0.5)[0], tf.clip_by_norm(x, 1.0)[0]])
keep(
    "ctx",
    lambda: [
        tf.executing_eagerly(),
        tf.contrib.eager.num_gpus(),
        tf.init_scope() and 1,
        tf.get_default_session() is None,
    ],
)
keep(
    "gv",
    lambda: [
        tf.global_variables(),
        tf.trainable_variables(),
        tf.global_variables_initializer(),
        tf.local_variables_initializer(),
        tf.tables_initializer(),
    ],
)
keep(
    "var",
    lambda: (
        lambda v: [
            v.name,
            v.shape,
            v.assign_add([1.0, 1.0]),
            v[0],
            v.numpy(),
            str(v),
            repr(v),
            v.dtype.name,
            v.trainable,
            v.read_value(),
            v + 1,
            v.scatter_add(tf.IndexedSlices(C([5.0]), C([0]))),
        ]
    )(tf.Variable([1.0, 2.0], name="vv")),
)
keep("var2", lambda: tf.Variable(lambda: tf.ones([2]), name="q").numpy())
keep("var3", lambda: [tf.get_variable("g", [2], initializer=ones), tf.get_variable("g", [2], initializer=ones).name])


def scoped():
    with tf.variable_scope("a") as scope:
        return scope.name


keep("scope", scoped)
keep("initval", lambda: tf.Variable(1.0).initial_value)
keep("initr", lambda: tf.Variable(1.0).initializer)
keep("op", lambda: tf.Variable(1.0).op)
keep("eval", lambda: tf.Variable(1.0).eval())
