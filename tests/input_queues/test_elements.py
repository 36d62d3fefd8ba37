"""Elements that go in alone or together come out alone or together: each whole, once, in the order that the queue has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

# A component of the element with a number, of each kind of memory that a queue holds.
COMPONENTS = {
    "number": (tf.int64, [], lambda i: np.int64(i)),
    "vector": (tf.float32, [3], lambda i: np.float32([i, i + 0.5, -i])),
    "text": (tf.string, [], lambda i: b"%d" % i),
    "texts": (tf.string, [2], lambda i: [b"%d" % i, b"x"]),
    "picture": (tf.uint8, [2, 3], lambda i: np.full([2, 3], i % 251, np.uint8)),
    "half": (tf.float16, [1], lambda i: np.float16([i])),
    "nothing": (tf.float32, [0, 2], lambda i: np.zeros([0, 2], np.float32)),
    "truth": (tf.bool, [], lambda i: np.bool_(i % 2)),
}
_numbers = st.lists(
    st.tuples(st.sampled_from(["put", "put many", "put turned", "take", "take many", "take up to"]), st.integers(0, 5)),
    min_size=1, max_size=12,
)  # fmt: skip


def queue_of(kind, types, shapes):
    if kind == "FIFOQueue":
        return tf.FIFOQueue(100, types, shapes)
    if kind == "PaddingFIFOQueue":
        return tf.PaddingFIFOQueue(100, types, shapes)
    return tf.RandomShuffleQueue(100, 0, types, shapes, seed=3)


@pytest.mark.parametrize("kind", ["FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue"])
@settings(max_examples=25, deadline=None)
@given(others=st.lists(st.sampled_from(sorted(COMPONENTS)), max_size=3), steps=_numbers)
def test_elements_come_out_whole(kind, others, steps):
    parts = [COMPONENTS[name] for name in ["number", *others]]
    types, shapes = [part[0] for part in parts], [part[1] for part in parts]
    inside, made = [], 0
    with tf.Graph().as_default(), tf.Session() as session:
        queue = queue_of(kind, types, shapes)
        count = tf.placeholder(tf.int32, [])
        one = [tf.placeholder(dtype, shape) for dtype, shape in zip(types, shapes, strict=True)]
        many = [tf.placeholder(dtype, [None, *shape]) for dtype, shape in zip(types, shapes, strict=True)]
        put, put_many = queue.enqueue(one), queue.enqueue_many(many)
        take, take_many, take_up_to = queue.dequeue(), queue.dequeue_many(count), queue.dequeue_up_to(count)
        for step, n in steps:
            if step.startswith("put"):
                new = list(range(made, made + (1 if step == "put" else n)))
                values = [[part[2](i) for i in new] for part in parts]
                if step == "put":
                    session.run(put, dict(zip(one, [value[0] for value in values], strict=True)))
                else:
                    batches = [
                        np.array(value, part[0].as_numpy_dtype).reshape([len(new), *part[1]])
                        for value, part in zip(values, parts, strict=True)
                    ]
                    if step == "put turned":
                        # Memory that is not in the order of rows.
                        batches = [np.asfortranarray(batch) for batch in batches]
                    session.run(put_many, dict(zip(many, batches, strict=True)))
                inside += new
                made += len(new)
            elif len(inside) >= (1 if step == "take" else n):
                if step == "take":
                    taken = [
                        np.array([value], dtype.as_numpy_dtype)
                        for value, dtype in zip(as_list(session.run(take)), types, strict=True)
                    ]
                else:
                    taken = as_list(session.run(take_many if step == "take many" else take_up_to, {count: n}))
                numbers = taken[0].tolist()
                assert len(numbers) == (1 if step == "take" else n)
                if kind != "RandomShuffleQueue":
                    assert numbers == inside[: len(numbers)]
                for number in numbers:
                    inside.remove(number)
                for value, (dtype, shape, make) in zip(taken, parts, strict=True):
                    assert value.dtype == dtype.as_numpy_dtype
                    assert value.shape == (len(numbers), *shape)
                    for row, number in zip(value, numbers, strict=True):
                        np.testing.assert_array_equal(row, make(number))
        assert session.run(queue.size()) == len(inside)


def as_list(values):
    return values if isinstance(values, list) else [values]
