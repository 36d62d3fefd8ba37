"""Sizes computed from shapes: known ones are constants, the others come from one node."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

pytestmark = pytest.mark.usefixtures("plain_calls")

WAYS = {
    "rows": (lambda x, y: tf.reshape(x, [tf.shape(x)[0] * tf.shape(x)[1], 4]), lambda x, y: x.reshape(-1, 4)),
    "rest": (
        lambda x, y: tf.reshape(x, tf.concat([[-1], tf.shape(x)[2:]], 0)),
        lambda x, y: x.reshape(-1, x.shape[2]),
    ),
    "known last": (lambda x, y: tf.zeros([tf.shape(y)[0], tf.shape(x)[2] + 1]), lambda x, y: np.zeros([len(y), 5])),
    "tile": (
        lambda x, y: tf.tile(x, tf.stack([1, 2, tf.shape(x)[-1] - 1])),
        lambda x, y: np.tile(x, [1, 2, 3]),
    ),
    "product": (
        lambda x, y: tf.reshape(x, [tf.reduce_prod(tf.shape(x)[:2]), tf.shape(x)[2]]),
        lambda x, y: x.reshape(-1, x.shape[2]),
    ),
    "count": (lambda x, y: tf.fill([tf.size(x) - tf.size(y)], 2.0), lambda x, y: np.full(x.size - y.size, 2.0)),
    "long": (
        lambda x, y: tf.cast(tf.stack([tf.shape(x)[1], 3]), tf.int64) * tf.shape(x, out_type=tf.int64)[0],
        lambda x, y: np.array([x.shape[1], 3]) * x.shape[0],
    ),
    "backwards": (lambda x, y: tf.shape(x)[::-1][1:] + 0, lambda x, y: np.array(x.shape[::-1][1:])),
    "gathered": (lambda x, y: tf.gather(tf.shape(x), [2, 0]) * 1, lambda x, y: np.array([x.shape[2], x.shape[0]])),
}


def plan_types(sess, fetch, feeds):
    return [node.type for node in sess.plan_for([fetch], feeds).nodes]


@pytest.mark.parametrize("way", WAYS)
def test_sizes_are_those_of_the_tensors(way):
    build, expected = WAYS[way]
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.placeholder(tf.float32, [None, None, 4]), tf.placeholder(tf.float32, [None])
        result = build(x, y)
        assert not {"Pack", "ConcatV2", "StridedSlice", "Slice", "Prod"} & set(plan_types(sess, result, [x, y]))
        for sizes in ((2, 3), (1, 5), (0, 2)):
            fed = np.arange(np.prod([*sizes, 4]), dtype=np.float32).reshape([*sizes, 4]), np.ones(3, np.float32)
            if sizes[0] == 0 and way in ("count", "rest"):
                continue
            np.testing.assert_array_equal(sess.run(result, dict(zip((x, y), fed))), expected(*fed))


def test_a_size_that_is_known_is_a_constant():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 4])
        assert plan_types(sess, tf.stack([1, tf.shape(x)[1]]), [x]) in ([], ["_Feed"])


@pytest.mark.parametrize("size", [lambda x: tf.shape(x)[1], lambda x: tf.stack([tf.shape(x)[0], 3])[1]])
def test_rewrites_of_sums_of_rows_meet_sizes_that_are_known(size):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 3])
        total = tf.reduce_sum(tf.cast(x[0], tf.int32))
        for _ in range(9):
            total += size(x)
        assert sess.run(total, {x: np.ones([2, 3])}) == 3 + 9 * 3


def test_sizes_are_asked_for_before_the_tensor_is_done_with():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, None])
        rows = tf.exp(x)
        count = tf.shape(rows)[0]
        total = tf.reduce_sum(rows, 1) * 2.0
        found = tf.reshape(total, tf.stack([count, 1]))
        types = plan_types(sess, found, [x])
        assert types.index("_Sizes") < types.index("Sum")
        assert sess.run(found, {x: np.zeros([2, 3])}).tolist() == [[6.0], [6.0]]


def test_a_vector_put_together_again_is_itself():
    with tf.Graph().as_default(), tf.Session() as sess:
        shape = tf.placeholder(tf.int64, [2])
        again = tf.stack([tf.reduce_prod(tf.slice(shape, [0], [1])), tf.gather(shape, 1)])
        assert "Pack" not in plan_types(sess, again + 1, [shape])
        assert sess.run(again + 1, {shape: [3, 7]}).tolist() == [4, 8]


def test_products_wrap_as_integers_do():
    with tf.Graph().as_default(), tf.Session() as sess:
        shape = tf.placeholder(tf.int32, [3])
        total = tf.stack([tf.reduce_prod(shape), 1])
        assert sess.run(total, {shape: [2**16, 2**15, 2]}).tolist() == [0, 1]
        assert sess.run(total, {shape: [2**16, 2**15, 1]}).tolist() == [-(2**31), 1]


def test_items_of_long_integers_wrap_in_short_ones():
    with tf.Graph().as_default(), tf.Session() as sess:
        shape = tf.placeholder(tf.int64, [2])
        short = tf.concat([tf.slice(tf.cast(shape, tf.int32), [0], [1]), [3]], 0)
        long = tf.cast(tf.reduce_prod(short), tf.int64)
        assert "_Sizes" in plan_types(sess, short, [shape])
        assert sess.run([short[0], long], {shape: [2**32 + 5, 1]}) == [5, 15]
        assert sess.run([short[0], long], {shape: [2**31 + 1, 1]}) == [-(2**31) + 1, -(2**31) + 3]


def test_lookups_of_features_ask_for_few_sizes():
    with tf.Graph().as_default(), tf.Session() as sess:
        features = tf.sparse_placeholder(tf.int64, [None, None])
        table = tf.get_variable("table", [6, 2], initializer=tf.ones_initializer())
        rows = tf.contrib.layers.safe_embedding_lookup_sparse([table], features)
        sess.run(table.initializer)
        types = plan_types(sess, rows, [features.indices, features.values, features.dense_shape])
        assert not {"SparseReshape", "Prod", "Pack", "Slice"} & set(types)
        fed = tf.SparseTensorValue([[0, 0], [0, 1], [2, 3]], [1, 5, 2], [3, 4])
        assert sess.run(rows, {features: fed}).tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]


def test_the_shape_of_a_variable_is_asked_when_its_turn_comes():
    with tf.Graph().as_default(), tf.Session() as sess:
        start = tf.placeholder(tf.float32, [None])
        variable = tf.Variable(start, validate_shape=False)
        sess.run(variable.initializer, {start: [1.0, 2.0]})
        before = tf.stack([tf.shape(variable)[0], 5])
        with tf.control_dependencies([before]):
            larger = tf.assign(variable, tf.ones([7]), validate_shape=False)
        with tf.control_dependencies([larger]):
            after = tf.stack([tf.shape(variable.read_value())[0], 5])
        found = sess.run([before, after])
        assert [part.tolist() for part in found] == [[2, 5], [7, 5]]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_chain_is_what_numpy_makes_of_it(data):
    """Random chains of slices, stacks, sums and products of sizes."""
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    known = data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [size if k else None for size, k in zip(sizes, known)])
        pool = [(tf.shape(x), np.array(sizes, np.int32))]
        for _ in range(data.draw(st.integers(1, 6))):
            tensor, array = data.draw(st.sampled_from(pool))
            kind = data.draw(st.sampled_from(["slice", "item", "stack", "concat", "prod", "add", "mul"]))
            if array.ndim == 1 and kind == "slice":
                begin, end = (data.draw(st.integers(-3, 3) | st.none()) for _ in range(2))
                step = data.draw(st.sampled_from([1, 2, -1]))
                pool.append((tensor[begin:end:step], array[begin:end:step]))
            elif array.ndim == 1 and array.size and kind == "item":
                at = data.draw(st.integers(-array.size, array.size - 1))
                pool.append((tensor[at], array[at]))
            elif array.ndim == 0 and kind == "stack":
                pool.append((tf.stack([tensor, 3, tensor]), np.stack([array, np.int32(3), array])))
            elif array.ndim == 1 and kind == "concat" and array.size <= 3:
                pool.append((tf.concat([tensor, [2], tensor], 0), np.concatenate([array, [2], array])))
            elif array.ndim == 1 and kind == "prod":
                pool.append((tf.reduce_prod(tensor), np.prod(array, dtype=np.int32)))
            elif kind == "add":
                pool.append((tensor + tensor, array + array))
            elif kind == "mul":
                pool.append((tensor * 2, array * 2))
        found = sess.run([tensor for tensor, _ in pool], {x: np.zeros(sizes)})
    for value, (_, array) in zip(found, pool, strict=True):
        assert value.dtype == np.int32
        np.testing.assert_array_equal(value, array)
