"""Structures of Python values as messages."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.saved_model.structured_values import NotEncodableError, StructureCoder


def test_what_no_message_tells_of_is_refused_by_an_error_of_its_own():
    coder = StructureCoder()
    structure = {"a": [1, (2.5, None)], "b": tf.TensorSpec([2, None], tf.int64, "x")}
    assert coder.can_encode(structure)
    assert coder.decode_proto(coder.encode_structure(structure)) == structure
    assert not coder.can_encode([object()])
    with pytest.raises(NotEncodableError, match="object"):
        coder.encode_structure([object()])
