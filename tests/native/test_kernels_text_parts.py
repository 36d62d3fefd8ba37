"""Texts that the runner reads as numbers or cuts into parts: beside what Python makes of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.native.direct import direct_call

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")

DTYPES = [np.float32, np.float64, np.int32, np.int64]
FORMATS = ["%r", "%.3f", "%.9g", "%e", "%+.2E", "%.0f", "%.17g"]
DECIMALS = st.one_of(
    st.tuples(st.sampled_from(FORMATS), st.floats(allow_nan=False, allow_infinity=False)).map(lambda p: p[0] % p[1]),
    st.integers(-(2**65), 2**65).map(str),
    st.from_regex(r"[+-]?[0-9]{0,21}\.?[0-9]{0,21}([eE][+-]?[0-9]{0,3})?", fullmatch=True),
    st.text("0123456789.-+eE ", max_size=12),
    st.sampled_from(
        ["", "-", ".", "e5", "1e", "1_0", "inf", "nan", "0x1", " 1", "1 ", "1.", ".5", "-0", "-.0", "1e-400"]
    ),
)


def boxed(items):
    array = np.empty(len(items), object)
    array[:] = items
    return array


def as_python_reads_it(text, dtype):
    """The number, or None where it is none of the type."""
    try:
        number = int(text) if np.issubdtype(dtype, np.integer) else float(text)
        with np.errstate(over="ignore"):
            return np.array(number, dtype)
    except (ValueError, OverflowError):
        return None


@settings(max_examples=500, deadline=None)
@given(text=DECIMALS, kind=st.integers(0, 3))
def test_a_number_is_the_nearest_one_or_is_not_read(text, kind):
    made = direct_call("numbers_of_texts")(boxed([text.encode()]), kind)
    if made is not None:
        expected = as_python_reads_it(text, DTYPES[kind])
        assert expected is not None
        assert made.numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("kind", range(4))
def test_plain_numbers_are_read(kind):
    plain = ["0", "-0", "7", "-12", "2147483647", "-2147483647"]
    plain += ["1.5", "-.25", "3.", "+2", "1e3", "1E-3", "-12.5e+2", "123456789.25", "0.0001"] if kind < 2 else []
    made = direct_call("numbers_of_texts")(boxed([text.encode() for text in plain]).reshape(1, -1), kind)
    expected = np.array([as_python_reads_it(text, DTYPES[kind]) for text in plain])
    np.testing.assert_array_equal(made.numpy(), expected[None])


@pytest.mark.parametrize("kind", [2, 3])
@pytest.mark.parametrize(
    "text", ["+5", "1.0", "1e3", "9223372036854775808", "-9223372036854775808", "12345678901234567890"]
)
def test_what_is_no_plain_integer_is_not_read(kind, text):
    assert direct_call("numbers_of_texts")(boxed([b"1", text.encode()]), kind) is None


def test_numbers_of_a_graph():
    texts = [["1.5", " 2 ", "nan"], ["-1e-3", "0x10", "12345678901234567890123"]]
    with tf.Session() as session:
        made = session.run(tf.string_to_number(tf.constant(texts)))
        np.testing.assert_array_equal(made, np.array([[1.5, 2, np.nan], [-1e-3, 16, 1.2345679e22]], np.float32))
        given_texts = tf.placeholder(tf.string, [None])
        numbers = tf.string_to_number(given_texts, tf.int32)
        assert session.run(numbers, {given_texts: ["12", "-7"]}).tolist() == [12, -7]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"could not correctly convert string: 1\.5"):
            session.run(numbers, {given_texts: ["12", "1.5"]})


WORDS = st.lists(st.binary(max_size=12).map(lambda b: bytes(b" ,;a\t"[c % 5] for c in b)), max_size=6)


@settings(max_examples=300, deadline=None)
@given(texts=WORDS, separators=st.sampled_from([b" ", b",", b" ,", b" \t;"]), skip=st.booleans(), keep=st.booleans())
def test_parts(texts, separators, skip, keep):
    indices, values, shape = direct_call("split_rows")(boxed(texts), boxed([separators]).reshape(()), skip, keep)
    table = bytes(separators[0] if c in separators else c for c in range(256))
    rows = [text.translate(table).split(separators[:1]) if text or keep else [] for text in texts]
    rows = [[part for part in row if part or not skip] for row in rows]
    assert values.tolist() == [part for row in rows for part in row]
    assert indices.tolist() == [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    assert shape.tolist() == [len(rows), max(map(len, rows), default=0)]
    assert indices.dtype == shape.dtype == torch.int64


@settings(max_examples=100, deadline=None)
@given(texts=WORDS, mark=st.sampled_from([b"", b" ", b",", b" ,"]))
def test_parts_of_a_graph(texts, mark):
    with tf.Graph().as_default(), tf.Session() as session:
        lines = tf.placeholder(tf.string, [None])
        first, second = session.run(
            [
                tf.string_split(lines, mark, skip_empty=False).values,
                tf.strings.split(lines, sep=mark, result_type="SparseTensor").values,
            ],
            {lines: boxed(texts)},
        )
    table = bytes(mark[0] if c in mark else c for c in range(256)) if mark else None
    cut = [
        text.translate(table).split(mark[:1]) if mark else [text[i : i + 1] for i in range(len(text))]
        for text in texts
        if text
    ]
    assert first.tolist() == [part for row in cut for part in row]
    assert second.tolist() == [part for text in texts for part in text.split(mark or None)]


def test_others_are_not_read():
    split, numbers = direct_call("split_rows"), direct_call("numbers_of_texts")
    space = boxed([b" "]).reshape(())
    assert split(boxed([b"a", None]), space, True, False) is None
    assert split(boxed([b"a"]).reshape(1, 1), space, True, False) is None
    assert split(boxed([b"a"]), boxed([b""]).reshape(()), True, False) is None
    assert split(boxed([b"a"]), boxed([b" "]), True, False) is None
    assert numbers(boxed([None]), 0) is None
    assert numbers(boxed([b"1"]), 4) is None
