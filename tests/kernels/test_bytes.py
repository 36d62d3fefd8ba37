"""What kernels do with bytes: hashes with published answers, and lists of numbers as protocol buffers write them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.kernels.parsing.wire import MalformedList, decode_floats, decode_ints, decode_strings
from headrace.kernels.string.fingerprint import siphash24
from headrace.messages.protos import BytesList, FloatList, Int64List


def test_siphash_of_the_paper():
    """J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast short-input PRF", appendix A."""
    key = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
    assert siphash24(bytes(range(15)), key) == 0xA129CA6149BE45E5
    assert siphash24(b"", key) == 0x726FDB47DD0E0E31


LISTS = {
    "float": (FloatList, decode_floats, st.floats(width=32, allow_nan=False), np.float32),
    "int": (Int64List, decode_ints, st.integers(-(2**63), 2**63 - 1), np.int64),
    "string": (BytesList, decode_strings, st.binary(max_size=9), object),
}


@pytest.mark.parametrize("kind", LISTS)
@given(data=st.data())
def test_lists_are_read_as_protobuf_writes_them(kind, data):
    message, decode, elements, dtype = LISTS[kind]
    lists = data.draw(st.lists(st.lists(elements, max_size=5), min_size=1, max_size=4))
    values, counts = decode([message(value=items).SerializeToString() for items in lists])
    assert counts.tolist() == [len(items) for items in lists]
    np.testing.assert_array_equal(values, np.array([item for items in lists for item in items], dtype))


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_that_is_none_is_named(kind):
    message, decode, _, _ = LISTS[kind]
    with pytest.raises(MalformedList) as caught:
        decode([message().SerializeToString(), b"\x0a\x7f\x01"])
    assert caught.value.index == 1
