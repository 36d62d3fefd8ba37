"""JSON that requests are read from: what any reader makes of a text, and what only this one takes."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.serve.json_values import parse_object, to_array

LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@settings(deadline=None)
@given(
    st.dictionaries(st.text(), VALUES), st.booleans(), st.sampled_from(["", " ", "\r\n\t"]), st.sampled_from(["", "x"])
)
def test_bodies_are_read_as_they_were_written(value, ascii_only, before, after):
    body = (before + json.dumps(value, ensure_ascii=ascii_only) + after).encode()
    # NaN is not equal to itself, but its text is.
    assert json.dumps(parse_object(body)) == json.dumps(value)


@pytest.mark.parametrize(
    "text", ["", "[]", "1", "{", '{"a": 01}', '{"a": 1.}', '{"a" 1}', '{"a": "\x01"}', "\xff", "{'a': 1}"]
)
def test_texts_that_are_no_objects(text):
    with pytest.raises(tf.errors.InvalidArgumentError, match="JSON"):
        parse_object(text.encode("latin-1"))


def test_numbers_that_no_type_of_c_holds():
    found = parse_object(b'{"large": 1e999, "long": 123456789012345678901234567890, "small": 1e-999, "zero": -0.0}')
    assert found["large"] == math.inf
    assert found["long"] == pytest.approx(1.2345678901234568e29)
    assert found["small"] == 0
    assert math.copysign(1, found["zero"]) == -1


@settings(deadline=None)
@given(st.lists(st.lists(st.floats() | st.integers(-(2**62), 2**62), min_size=2, max_size=2)))
def test_floats_are_rounded_once(rows):
    with np.errstate(over="ignore"):
        expected = np.array(rows, np.float64).astype(np.float32)
    np.testing.assert_array_equal(to_array(rows, tf.float32), expected)
