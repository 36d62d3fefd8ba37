"""Tensors in messages: what goes in comes out, in the memory of the message; what is malformed is refused."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
import torch

import headrace as tf
from headrace.cluster import messages
from headrace.cluster.wire import decode, encode, values_of

VALUES = [
    (torch.arange(6, dtype=torch.float32).reshape(2, 3), tf.float32),
    (torch.tensor(3), tf.int64),
    (torch.tensor([True, False]), tf.bool),
    (torch.tensor([1.5, -2.0], dtype=torch.bfloat16), tf.bfloat16),
    (torch.tensor([1 + 2j]), tf.complex64),
    (torch.zeros(0, 3), tf.float32),
    (torch.arange(6, dtype=torch.int32).reshape(2, 3).t(), tf.int32),
]


def _encoded():
    values, types = zip(*VALUES, strict=True)
    texts = np.array([[b"ab", b""], [b"\xff\x00", b"c"]], object)
    return encode(messages.StepRequest(session="s", part=7), [*values, texts], [*types, tf.string]), texts


def test_tensors_come_out_as_they_went_in():
    data, texts = _encoded()
    message, arrays = decode(messages.StepRequest, data)
    assert (message.session, message.part) == ("s", 7)
    *values, got = values_of(arrays, message.tensors)
    for (expected, _), value in zip(VALUES, values, strict=True):
        assert value.dtype is expected.dtype
        assert torch.equal(value, expected)
    assert (got == texts).all()


def test_the_message_is_one_that_the_library_reads():
    data, _ = _encoded()
    message = messages.StepRequest.FromString(data)
    assert len(message.contents) == len(message.tensors) == len(VALUES) + 1


def test_arrays_lie_in_the_message_and_may_be_written_to():
    data, _ = _encoded()
    _, arrays = decode(messages.StepRequest, data)
    assert all(array.flags.writeable and not array.flags.owndata for array in arrays[:5])
    assert all(array.ctypes.data % 16 == 0 for array in arrays[:5])


@pytest.mark.parametrize("seed", range(300))
def test_malformed_messages_are_refused(seed):
    data, _ = _encoded()
    rng = np.random.RandomState(seed)
    broken = bytearray(data[: rng.randint(1, len(data))] if seed % 2 else data)
    for _ in range(rng.randint(1, 4)):
        broken[rng.randint(len(broken))] = rng.randint(256)
    with contextlib.suppress(tf.errors.InvalidArgumentError):
        decode(messages.StepRequest, bytes(broken))


@pytest.mark.parametrize(
    ("header", "content"),
    [
        ({"dtype": 1, "shape": [2]}, b"abc"),
        ({"dtype": 1, "shape": [-1]}, b""),
        ({"dtype": 1, "shape": [1 << 62, 1 << 62]}, b""),
        ({"dtype": 7, "shape": [2], "lengths": [1, -1]}, b"a"),
        ({"dtype": 7, "shape": [1], "lengths": [9]}, b"a"),
        ({"dtype": 20, "shape": []}, b"a"),
        ({"dtype": 999, "shape": []}, b"a"),
    ],
)
def test_headers_that_contradict_their_bytes_are_refused(header, content):
    request = messages.StepRequest(tensors=[messages.TensorHeader(**header)], contents=[content])
    with pytest.raises(tf.errors.InvalidArgumentError):
        decode(messages.StepRequest, request.SerializeToString())


def test_handles_are_not_sent():
    with pytest.raises(tf.errors.UnimplementedError, match="resource"):
        encode(messages.StepRequest(), [object()], [tf.resource])
