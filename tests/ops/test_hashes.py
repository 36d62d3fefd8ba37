"""Hashes of many strings at once are those of each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.kernels.string.batched_hashes import fingerprints, keyed_hashes, old_hashes
from headrace.kernels.string.fingerprint import fingerprint64, hash64, siphash24

texts = st.lists(st.binary(max_size=140), min_size=24, max_size=60)


@settings(max_examples=40, deadline=None)
@given(texts, st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1)))
def test_many_at_once(items, key):
    assert fingerprints(items).tolist() == [fingerprint64(item) for item in items]
    assert old_hashes(items).tolist() == [hash64(item) for item in items]
    assert keyed_hashes(items, key).tolist() == [siphash24(item, key) for item in items]


@pytest.mark.parametrize("hashes", [fingerprints, old_hashes])
def test_every_length(hashes):
    items = [np.random.RandomState(n).bytes(n) for n in range(200)]
    assert hashes(items).tolist() == [hashes([item])[0] for item in items]
