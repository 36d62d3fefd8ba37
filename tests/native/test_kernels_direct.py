"""Direct calls beside the kernels in Python: the same values and types, the same errors of the same operations.

Each op is tried on drawn inputs, some of which are refused: empty ones, single ones, repeated, negative, out of range and
unsorted indices, empty rows, NaN.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
import torch
from tensorboard.compat.proto.summary_pb2 import Summary

import headrace as tf
from headrace import native
from headrace.core.registry import raw
from headrace.kernels.string.fingerprint import fingerprint64, hash64, siphash24
from headrace.native import loading
from headrace.native.direct import direct_call
from headrace.plan.pipeline import without

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")

SEEDS = range(40)


def outcome(build, values, monkeypatch, direct):
    """What a step gives, or the error's class, text and operation; and what it leaves in variables."""
    with monkeypatch.context() as patched, tf.Graph().as_default(), tf.Session() as session:
        if not direct:
            patched.setattr(loading, "why_not", lambda: "a test wants the kernels in Python")
        given = [tf.placeholder(tf.as_dtype(value.dtype)) for value in values]
        fetches = build(*given)
        session.run(tf.global_variables_initializer())
        try:
            made = session.run(fetches, dict(zip(given, values, strict=True)))
        except tf.errors.OpError as error:
            made = (type(error), error.message, error.op.name)
        return made, session.run(tf.global_variables())


def same(build, values, monkeypatch, exact=True):
    """Compares both; answers whether there was a result."""
    (made, kept), (expected, left) = (outcome(build, values, monkeypatch, direct) for direct in (True, False))
    if isinstance(expected, tuple) and isinstance(expected[0], type):
        assert made == expected
    else:
        agree(made, expected, exact)
    agree(kept, left, exact)
    return not (isinstance(expected, tuple) and isinstance(expected[0], type))


def agree(made, expected, exact):
    if isinstance(expected, list | tuple):
        assert len(made) == len(expected)
        for one, other in zip(made, expected, strict=True):
            agree(one, other, exact)
        return
    if expected is None:
        assert made is None
        return
    one, other = np.asarray(made), np.asarray(expected)
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    if exact:
        np.testing.assert_array_equal(one, other)
    else:
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def drawn_indices(random, shape, size, kind=None):
    """Index vectors, of which one draw in four has some out of range."""
    kind = kind or random.choice(["int32", "int64"])
    low, high = (-1, size + 1) if random.rand() < 0.25 else (0, max(size, 1))
    return random.randint(low, high, shape).astype(kind)


def floats(random, shape, kind=None):
    values = np.asarray(random.randn(*shape)).astype(kind or random.choice(["float32", "float64"]))
    if random.rand() < 0.2 and values.size:
        values.reshape(-1)[random.randint(values.size)] = np.nan
    return values


def texts(random, shape):
    words = [b"", b"a", b"abc", b"abcde", b"twelve bytes", b"q" * 20, b"r" * 40, b"s" * 64, b"t" * 65, b"u" * 200]
    made = np.empty(shape, object)
    made.reshape(-1)[:] = [words[i] for i in random.randint(len(words), size=made.size)]
    return made


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (3, 4), (0, 3), (2, 0), (2, 3, 4)])
def test_where(shape, monkeypatch):
    random = np.random.RandomState(len(shape))
    for share in (0.0, 0.5, 1.0):
        assert same(lambda x: raw.Where(x), [random.rand(*shape) < share], monkeypatch)


@pytest.mark.parametrize("seed", SEEDS)
def test_gather_nd(seed, monkeypatch):
    random = np.random.RandomState(seed)
    shape = tuple(random.randint(0 if random.rand() < 0.1 else 1, 4, random.randint(1, 4)))
    depth = random.randint(1, len(shape) + 1)
    outer = tuple(random.randint(0, 4, random.randint(0, 3)))
    params = texts(random, shape) if random.rand() < 0.5 else floats(random, shape)
    indices = drawn_indices(random, (*outer, depth), min(shape[:depth]))
    same(lambda p, i: raw.GatherNd(p, i), [params, indices], monkeypatch)


@pytest.mark.parametrize("seed", SEEDS)
def test_unique(seed, monkeypatch):
    random = np.random.RandomState(seed)
    x = random.randint(-5, 50, random.choice([0, 1, 10, 300])).astype(random.choice(["int32", "int64"]))
    wide = bool(random.rand() < 0.5)
    assert same(lambda x: raw.Unique(x, out_idx=tf.int64 if wide else tf.int32), [x], monkeypatch)


def test_unique_of_the_ends_of_the_range(monkeypatch):
    ends = np.iinfo(np.int64)
    assert same(lambda x: raw.Unique(x), [np.array([ends.max, ends.min, -1, 0, ends.min, ends.max])], monkeypatch)
    same(lambda x: raw.Unique(x), [np.zeros((2, 2), np.int64)], monkeypatch)


@pytest.mark.parametrize("seed", range(80))
def test_filling_empty_rows(seed, monkeypatch):
    random = np.random.RandomState(seed)
    rows, rank = random.randint(0, 8), random.randint(1, 4)
    count = random.choice([0, 1, rows, 12])
    indices = random.randint(0, max(rows, 1) + (random.rand() < 0.1), (count, rank))
    if random.rand() < 0.3:
        indices[:, 0] = np.arange(count) % max(rows, 1)
    if random.rand() < 0.7:
        indices = indices[np.argsort(indices[:, 0], kind="stable")]
    kind = random.choice(["float32", "int64", "bool"])
    values = random.randint(0, 2, count).astype(kind)
    shape = np.array([rows, *[9] * (rank - 1)])
    same(lambda *parts: list(raw.SparseFillEmptyRows(*parts)), [indices, values, shape, np.array(1, kind)], monkeypatch)


@pytest.mark.parametrize("seed", range(120))
def test_what_is_kept_of_ids(seed, monkeypatch):
    random = np.random.RandomState(seed)
    rows, rank = random.randint(0 if random.rand() < 0.1 else 1, 8), random.randint(1, 4)
    count = random.choice([0, 1, rows, 12])
    indices = random.randint(0, max(rows, 1) + (random.rand() < 0.1), (count, rank))
    if random.rand() < 0.7:
        indices = indices[np.argsort(indices[:, 0], kind="stable")]
    ids = random.randint(-3 if random.rand() < 0.5 else 0, 9, count)
    if random.rand() < 0.1:
        ids = np.append(ids, 5)  # without an index vector
    shape = np.array([rows, *[9] * (rank - 1)])

    def build(indices, ids, shape):
        # As feature columns do.
        kept = tf.reshape(tf.where(ids >= 0), [-1])
        indices.set_shape([None, rank])
        ids.set_shape([None])
        picked, wanted = tf.gather(indices, kept), tf.gather(ids, kept)
        filled = raw.SparseFillEmptyRows(picked, wanted, shape, tf.constant(2, tf.int64))
        different, places = tf.unique(filled.output_values)
        return tf.cast(filled.output_indices[:, 0], tf.int32), different, places, filled.empty_row_indicator

    given = [indices, ids, shape]
    same(build, given, monkeypatch)
    with without("kept ids"):
        plain = outcome(build, given, monkeypatch, True)[0]
    made = outcome(build, given, monkeypatch, True)[0]
    if isinstance(plain[0], type):
        assert made == plain
    else:
        agree(made, plain, True)


def test_ids_are_asked_for_at_once():
    sparse = tf.sparse_placeholder(tf.int64, [None, None])
    table = tf.get_variable("table", [9, 2])
    found = tf.nn.safe_embedding_lookup_sparse([table], sparse, combiner="sum")
    with tf.Session() as session:
        plan = session.plan_for(found, [sparse.indices, sparse.values, sparse.dense_shape])
    assert "_KeptIds" in plan.source
    assert "Where" not in plan.source


@pytest.mark.parametrize("seed", range(80))
def test_reshaping_sparse_tensors(seed, monkeypatch):
    random = np.random.RandomState(seed)
    old = random.choice([0, 1, 2, 3, 4, 6], random.randint(1, 4))
    total = int(np.prod(old))
    asked = [
        old,
        np.array([total]),
        np.array([-1]),
        np.array([2, -1]),
        np.array([-1, 3, 1]),
        np.array([-1, -1]),
        np.array([5, 7]),
        np.array([-2, 3]),
        np.array([0, -1]),
    ][random.randint(9)]
    count = random.randint(0, 5)
    indices = np.stack([drawn_indices(random, count, size, "int64") for size in old], 1)
    if (indices < 0).any() or (indices >= old).any():
        return
    same(
        lambda *parts: list(raw.SparseReshape(*parts)),
        [indices, old.astype(np.int64), asked.astype(np.int64)],
        monkeypatch,
    )


@pytest.mark.parametrize("seed", range(80))
def test_sparse_to_dense(seed, monkeypatch):
    random = np.random.RandomState(seed)
    rank = random.randint(1, 4)
    shape = random.randint(0 if random.rand() < 0.1 else 1, 5, rank)
    count = random.randint(0, 6)
    kind = random.choice(["int32", "int64"])
    indices = drawn_indices(random, (count, rank), int(shape.min()), kind)
    if random.rand() < 0.7:
        indices = indices[np.lexsort(indices.T[::-1])]
    if rank == 1 and random.rand() < 0.5:
        indices = indices[:, 0]
    values = floats(random, () if random.rand() < 0.3 else (count,), "float32")
    checked = bool(random.rand() < 0.7)
    distinct = len(np.unique(indices.reshape(count, rank), axis=0)) == count
    if not distinct and not checked:
        return  # which of equal ones is kept is not said
    same(
        lambda *parts: raw.SparseToDense(*parts, validate_indices=checked),
        [indices, shape.astype(kind), values, np.float32(7)],
        monkeypatch,
    )


@pytest.mark.parametrize("kind", ["Sum", "Mean", "SqrtN"])
@pytest.mark.parametrize("seed", SEEDS)
def test_sums_of_picked_rows(seed, kind, monkeypatch):
    random = np.random.RandomState(seed)
    rows, width = random.randint(1, 6), tuple(random.randint(0 if random.rand() < 0.1 else 1, 4, random.randint(0, 3)))
    count = random.choice([0, 1, 8])
    data = floats(random, (rows, *width))
    indices = drawn_indices(random, count, rows)
    ids = random.randint(-1 if random.rand() < 0.1 else 0, 5, count).astype(np.int32)
    ids = np.arange(count, dtype=np.int32) if random.rand() < 0.3 else ids
    if random.rand() < 0.8:
        ids.sort()
    build = getattr(raw, f"SparseSegment{kind}")
    same(lambda *parts: build(*parts), [data, indices, ids], monkeypatch, exact=False)
    if kind == "Sum":
        return
    grad = floats(random, (5, *width), data.dtype)
    of = getattr(raw, f"SparseSegment{kind}Grad")
    if (ids >= 0).all():
        same(lambda *parts: of(*parts), [grad, indices, ids, np.array(rows, np.int32)], monkeypatch, exact=False)


@pytest.mark.parametrize("seed", range(80))
def test_sums_by_ids(seed, monkeypatch):
    random = np.random.RandomState(seed)
    ids_shape = tuple(random.randint(0, 5, random.randint(1, 3)))
    data = floats(random, (*ids_shape, *random.randint(1, 4, random.randint(0, 2))))
    ids = drawn_indices(random, ids_shape, 4)
    number = np.array(random.choice([4, 4, 4, 0, -1]), np.int32)
    same(lambda *parts: raw.UnsortedSegmentSum(*parts), [data, ids, number], monkeypatch, exact=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_of_repeated_rows(seed):
    random = np.random.RandomState(seed)
    summed = direct_call("sum_of_repeated")
    data = random.randn(random.choice([0, 1, 50]), 3)
    indices = random.randint(-3, 9, len(data))
    total, different = summed(torch.from_numpy(data), torch.from_numpy(indices))
    expected = list(dict.fromkeys(indices.tolist()))
    assert different.tolist() == expected
    sums = [data[indices == index].sum(0) for index in expected]
    np.testing.assert_allclose(total.numpy(), np.array(sums).reshape(-1, 3), atol=1e-12)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (4, 3), (2, 0)])
def test_texts(shape, monkeypatch):
    random = np.random.RandomState(1)
    x = texts(random, shape)
    for one in (b"", b"abc", b"t" * 65):
        assert same(lambda x, one=one: [tf.not_equal(x, one), tf.not_equal(one, x)], [x], monkeypatch)
    for buckets in (1, 10, 2**31, 2**63 - 1):
        assert same(lambda x, n=buckets: raw.StringToHashBucketFast(x, num_buckets=n), [x], monkeypatch)
        assert same(lambda x, n=buckets: raw.StringToHashBucket(x, num_buckets=n), [x], monkeypatch)
        assert same(lambda x, n=buckets: raw.StringToHashBucketStrong(x, num_buckets=n, key=[1, -2]), [x], monkeypatch)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (4, 3), (2, 0), (2, 3, 2)])
def test_joined_texts(shape, keep, monkeypatch):
    x = texts(np.random.RandomState(2), shape)

    def build(x):
        x = tf.reshape(x, shape)
        return [raw.ReduceJoin(x, axis, keep_dims=keep, separator="_X_") for axis in (-1, len(shape) - 1, 0)]

    assert same(build, [x], monkeypatch)


def test_texts_of_all_lengths():
    buckets = 2**63 - 1
    words = np.array([bytes((7 * i + n) % 256 for i in range(n)) for n in range(260)] + [None])[:-1]
    made = direct_call("fingerprint_buckets")(words, buckets)
    assert made.tolist() == [fingerprint64(word) % buckets for word in words]
    made = direct_call("murmur_buckets")(words, buckets)
    assert made.tolist() == [hash64(word) % buckets for word in words]
    for key in ((0, 0), (1, 2), (-1, 2**63 - 1), (-(2**63), 12345678901)):
        made = direct_call("sip_buckets")(words, buckets, *key)
        assert made.tolist() == [siphash24(word, key) % buckets for word in words]


@pytest.mark.parametrize("keys", [[], [b"b"], [b"a", b"c", b"", b"a"]])
def test_tables(keys, monkeypatch):
    words = np.empty(len(keys), object)
    words[:] = keys

    def build(x):
        initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b", ""]), tf.constant([3, 4, 5], tf.int64))
        table = tf.lookup.StaticHashTable(initializer, -1)
        with tf.control_dependencies([tf.tables_initializer()]):
            return table.lookup(x), table.lookup(tf.reshape(x, [1, -1]))

    assert same(build, [words], monkeypatch)

    def not_filled(x):
        initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(["a"]), tf.constant([3], tf.int64))
        return tf.lookup.StaticHashTable(initializer, -1).lookup(x)

    assert not same(not_filled, [words], monkeypatch)


@pytest.mark.parametrize("seed", range(60))
def test_crosses(seed, monkeypatch):
    random = np.random.RandomState(seed)
    batch, columns = random.randint(0, 5), random.randint(1, 4)
    indices, values, shapes, dense = [], [], [], []
    for _ in range(columns):
        if random.rand() < 0.4:
            width = random.randint(0, 3)
            dense.append(
                texts(random, (batch, width)) if random.rand() < 0.5 else random.randint(-9, 9, (batch, width))
            )
            continue
        count = random.randint(0, 7) if batch else 0
        rows = random.randint(0, max(batch, 1) + (random.rand() < 0.1), count)
        if random.rand() < 0.9:
            rows.sort()
        indices.append(np.stack([rows, np.arange(count)], 1).astype(np.int64))
        values.append(texts(random, count) if random.rand() < 0.5 else random.randint(-9, 9, count))
        shapes.append(np.array([batch + (random.rand() < 0.05), 9]))
    given = [*indices, *values, *shapes, *dense]
    count = len(indices)

    def build(*parts):
        return list(
            raw.SparseCross(
                list(parts[:count]),
                list(parts[count : 2 * count]),
                list(parts[2 * count : 3 * count]),
                list(parts[3 * count :]),
                hashed_output=True,
                num_buckets=[0, 7][seed % 2],
                hash_key=[1, 0xDECAFCAFFE][seed % 2],
                out_type=tf.int64,
                internal_type=tf.int64,
            )
        )

    same(build, given, monkeypatch)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("optimizer", ["ftrl", "ftrl with a power", "adagrad"])
@pytest.mark.parametrize("seed", range(8))
def test_updates_of_rows(seed, optimizer, resource, monkeypatch):
    random = np.random.RandomState(seed)
    kind = random.choice(["float32", "float64"])
    width = tuple(random.randint(1, 4, random.randint(0, 3)))
    count = random.choice([0, 1, 9])
    gradient = floats(random, (count, *width), kind)
    indices = drawn_indices(random, count, 6)
    begin = random.randn(6, *width).astype(kind)
    numbers = [0.1, random.choice([0.0, 0.2]), random.choice([0.0, 0.3])]

    def build(grad, rows):
        names = ["var", "accum", "linear"]
        states = [
            tf.get_variable(
                name, initializer=tf.constant(np.abs(begin) if name == "accum" else begin), use_resource=resource
            )
            for name in names
        ]
        handles = [state.handle if resource else state._ref() for state in states]
        form = "Resource" if resource else ""
        if optimizer == "adagrad":
            update = getattr(raw, f"{form}SparseApplyAdagrad")
            made = update(*handles[:2], tf.constant(0.1, kind), grad, rows, update_slots=bool(seed % 2))
        else:
            update = getattr(raw, f"{form}SparseApplyFtrl")
            rest = [tf.constant(number, kind) for number in (*numbers, -0.5 if optimizer == "ftrl" else -0.7)]
            made = update(*handles, grad, rows, *rest)
        return made.op if isinstance(made, tf.Tensor) else made

    same(build, [gradient, indices], monkeypatch, exact=False)


@pytest.mark.parametrize("shape", [(), (0,), (5,), (3, 2)])
@pytest.mark.parametrize("power", [-0.5, -0.7])
def test_updates_of_all_rows(shape, power, monkeypatch):
    random = np.random.RandomState(len(shape))
    begin = np.abs(random.randn(*shape))

    def build(grad):
        handles = [tf.get_variable(name, initializer=tf.constant(begin), use_resource=True).handle for name in "abc"]
        rest = [tf.constant(number, tf.float64) for number in (0.1, 0.2, 0.3, power)]
        return raw.ResourceApplyFtrl(*handles, grad, *rest)

    assert same(build, [np.asarray(random.randn(*shape))], monkeypatch, exact=False)
    assert not same(build, [random.randn(7, 7)], monkeypatch)


@pytest.mark.parametrize("seed", SEEDS)
def test_products_of_sparse_matrices(seed, monkeypatch):
    random = np.random.RandomState(seed)
    kind = random.choice(["float32", "float64"])
    rows, columns, width = random.randint(0, 6, 3) * random.choice([1, 40])
    n = random.randint(60) if rows and columns else 0
    indices = np.concatenate([drawn_indices(random, (n, 1), size, "int64") for size in (rows, columns)], 1)
    adjoint = bool(random.randint(2))
    b = floats(random, (rows if adjoint else columns, width), kind)

    def build(*given):
        return raw.SparseTensorDenseMatMul(*given, adjoint_a=adjoint)

    same(build, [indices, floats(random, (n,), kind), np.array([rows, columns]), b], monkeypatch, exact=False)
    if n:
        assert not same(build, [indices[1:], np.ones(n, kind), np.array([rows, columns]), b], monkeypatch)


@pytest.mark.parametrize("rows", [1 << 62, 1 << 40, -1, -(1 << 63)])
def test_products_of_sparse_matrices_of_sizes_that_are_none(rows):
    product = direct_call("sparse_times_dense")
    assert product(torch.zeros(0, 2, dtype=torch.int64), torch.zeros(0), torch.ones(3, 4), rows, 3, False) is None
    assert product(torch.zeros(1, 2, dtype=torch.int64), torch.ones(1), torch.ones(3, 4), 3, rows, True) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_that_stay(seed, monkeypatch):
    """As float32 compares them: some boxes have no area, equal scores, or corners in another order; some are no numbers."""
    random = np.random.RandomState(seed)
    count = random.choice([0, 1, 5, 60])
    boxes = random.rand(count, 4).astype(np.float32)
    boxes[random.rand(count) < 0.2, 2] = 0.5
    boxes[random.rand(count) < 0.2, :3:2] = 0.5
    scores = random.choice([-np.inf, -1, 0, 0.25, 0.5, np.inf], count).astype(np.float32)
    if seed % 7 == 0 and count:
        boxes[0, 0] = random.choice([np.nan, np.inf])
    if seed % 9 == 0 and count:
        scores[-1] = np.nan
    most, threshold, least = np.int32(random.randint(6)), np.float32(random.rand()), random.choice([-np.inf, 0])
    rest = [most, threshold, np.float32(least)]
    assert same(raw.NonMaxSuppressionV3, [boxes, scores, *rest], monkeypatch)
    padded = functools.partial(raw.NonMaxSuppressionV4, pad_to_max_output_size=True)
    assert same(lambda *given: list(padded(*given)), [boxes, scores, *rest], monkeypatch)
    classes = [np.stack([boxes] * 2)[:, :, None], random.rand(2, count, 3).astype(np.float32), np.int32(2), np.int32(5)]
    if np.isfinite(boxes).all():
        assert same(lambda *given: list(raw.CombinedNonMaxSuppression(*given)), [*classes, *rest[1:]], monkeypatch)
    if count > 1:
        assert not same(raw.NonMaxSuppressionV3, [boxes, scores[1:], *rest], monkeypatch)


@pytest.mark.parametrize("count", [0, 1, 7, 5000])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_histograms(count, kind, monkeypatch):
    random = np.random.RandomState(count)
    values = (random.randn(count) * 10.0 ** random.randint(-14, 22, count)).astype(kind)
    values[: count // 7] = random.choice([0.0, -0.0, 1e-12, -1e-12, 1.1e-12, np.finfo(kind).max, np.finfo(kind).tiny])
    made, expected = (
        outcome(lambda x: raw.HistogramSummary(b"tag", x), [values], monkeypatch, direct)[0] for direct in (True, False)
    )
    (one,), (other,) = (Summary.FromString(each).value for each in (made, expected))
    assert one.tag == other.tag == "tag"
    for name in ("min", "max", "num", "bucket_limit", "bucket"):
        assert getattr(one.histo, name) == getattr(other.histo, name)
    # The one adds up one after the other, as TensorFlow does, NumPy in pairs.
    with np.errstate(over="ignore"):
        assert one.histo.sum == sum(values.tolist())
        np.testing.assert_allclose(one.histo.sum_squares, other.histo.sum_squares, rtol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_histograms_of_what_is_not_finite(bad, monkeypatch):
    assert not same(lambda x: raw.HistogramSummary(b"tag", x), [np.array([1.0, bad])], monkeypatch)


def test_calls_that_are_not_such_as_they_take():
    x = torch.zeros(4, 3, dtype=torch.bool)
    where = direct_call("where")
    assert where(x.t()) is None
    assert where(x.to(torch.uint8)) is None
    assert where(np.zeros(3, bool)) is None
    assert direct_call("unique")(torch.zeros(1 << 18, dtype=torch.int64), True) is None
    assert direct_call("fingerprint_buckets")(np.array(["text"], object), 3) is None
    assert direct_call("fingerprint_buckets")(np.array([b"text"]), 3) is None
    with pytest.raises(TypeError, match="takes 1 arguments"):
        where()
