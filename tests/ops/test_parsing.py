"""Parsing records: what any Example says is what its message classes say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.kernels.parsing.wire import MalformedList, decode_floats, decode_ints, decode_strings

ints = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20)
floats = st.lists(st.floats(width=32, allow_nan=False), max_size=20)
strings = st.lists(st.binary(max_size=300), max_size=5)


@pytest.fixture(scope="module")
def parser():
    """Runs `parse_example` and `parse_single_example` with one sparse feature of each type."""
    features = {"i": tf.VarLenFeature(tf.int64), "f": tf.VarLenFeature(tf.float32), "s": tf.VarLenFeature(tf.string)}
    with tf.Graph().as_default() as graph:
        many, one = tf.placeholder(tf.string, [None]), tf.placeholder(tf.string, [])
        batch, single = tf.parse_example(many, features), tf.parse_single_example(one, features)
    sess = tf.Session(graph=graph)
    return lambda x: sess.run(batch, {many: x}), lambda x: sess.run(single, {one: x})


def example(i, f, s):
    made = tf.train.Example()
    made.features.feature["i"].int64_list.value.extend(i)
    made.features.feature["f"].float_list.value.extend(f)
    made.features.feature["s"].bytes_list.value.extend(s)
    return made.SerializeToString()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(ints, floats, strings), min_size=1, max_size=5))
def test_parsed_values_are_the_messages(parser, examples):
    batch, single = parser
    records = [example(*one) for one in examples]
    parsed = batch(records)
    for key, column in zip("ifs", zip(*examples)):
        sparse = parsed[key]
        assert sparse.values.tolist() == [value for values in column for value in values]
        assert sparse.indices.tolist() == [[r, c] for r, values in enumerate(column) for c in range(len(values))]
        assert sparse.dense_shape.tolist() == [len(records), max(map(len, column))]
    first = single(records[0])
    for key, values in zip("ifs", examples[0]):
        assert first[key].values.tolist() == list(values)
        assert first[key].indices.tolist() == [[c] for c in range(len(values))]


@settings(max_examples=40, deadline=None)
@given(st.lists(ints, min_size=1, max_size=4), st.lists(floats, min_size=1, max_size=4))
def test_lists_written_a_field_a_number(int_lists, float_lists):
    def varint(number):
        number &= 2**64 - 1
        out = b""
        while number > 127:
            out += bytes([number & 127 | 128])
            number >>= 7
        return out + bytes([number])

    written = [b"".join(b"\x08" + varint(value) for value in values) for values in int_lists]
    values, counts = decode_ints(written)
    assert values.tolist() == [value for values in int_lists for value in values]
    assert counts.tolist() == [len(values) for values in int_lists]
    written = [b"".join(b"\x0d" + np.float32(value).tobytes() for value in values) for values in float_lists]
    values, counts = decode_floats(written)
    assert values.tolist() == [value for values in float_lists for value in values]
    assert counts.tolist() == [len(values) for values in float_lists]


@pytest.mark.parametrize("decode", [decode_ints, decode_floats])
@pytest.mark.parametrize("bad", [b"\x0a\x05abc", b"\x0a", b"\x0a\x81", b"\x12\x01a"])
def test_malformed_numbers(decode, bad):
    with pytest.raises(MalformedList):
        decode([b"", bad])


@pytest.mark.parametrize("bad", [b"\x0a\x05abc", b"\x0a", b"\x0a\x81", b"\x0a\x00\x0a\x09"])
def test_malformed_strings(bad):
    with pytest.raises(MalformedList) as caught:
        decode_strings([b"\x0a\x01a", bad])
    assert caught.value.index == 1


def test_a_number_must_end_in_its_list():
    with pytest.raises(MalformedList) as caught:
        decode_ints([b"\x0a\x01\x80", b"\x0a\x01\x01"])
    assert caught.value.index == 0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_records_laid_out_alike(parser, data):
    """Batches large enough to be read side by side: some layouts, many records each, in any order."""
    numbers = st.integers(-3, 300)
    layouts = data.draw(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3)
    )
    examples = []
    for _ in range(data.draw(st.integers(5, 30))):
        ints, floats, texts = data.draw(st.sampled_from(layouts))
        examples.append(
            (
                data.draw(st.lists(numbers, min_size=ints, max_size=ints)),
                data.draw(st.lists(st.floats(width=32, allow_nan=False), min_size=floats, max_size=floats)),
                data.draw(st.lists(st.binary(min_size=2, max_size=2), min_size=texts, max_size=texts)),
            )
        )
    parsed = parser[0]([example(*one) for one in examples])
    for key, column in zip("ifs", zip(*examples)):
        assert parsed[key].values.tolist() == [value for values in column for value in values]
        assert parsed[key].indices.tolist() == [[r, c] for r, values in enumerate(column) for c in range(len(values))]


def test_the_first_bad_example_is_named():
    features = {"i": tf.FixedLenFeature([1], tf.int64), "f": tf.FixedLenFeature([1], tf.float32)}
    records = [example([1], [1.0], []), example([1], [], []), example([], [1.0], [])]
    with tf.Graph().as_default(), tf.Session() as sess:
        parsed = tf.parse_example(records, features)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Key: f, Index: 1"):
            sess.run(parsed)


@pytest.mark.parametrize(("dtype", "called"), [(tf.string, "bytes"), (tf.float32, "float"), (tf.int64, "int64")])
def test_errors_name_the_list_that_has_another_length(dtype, called):
    value = {tf.string: b"z", tf.float32: 3.0, tf.int64: 3}[dtype]
    example = tf.train.Example()
    getattr(example.features.feature["b"], f"{called}_list").value.append(value)
    with tf.Graph().as_default(), tf.Session() as session:
        for feature in (tf.FixedLenFeature([2], dtype), tf.FixedLenSequenceFeature([2], dtype, allow_missing=True)):
            parsed = tf.parse_example([example.SerializeToString()], {"b": feature})
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"Number of {called} values"):
                session.run(parsed)
