"""Large tensors: in memory that both processes have, in pieces where they share none, and what is refused of either."""

from __future__ import annotations

import fcntl
import os

import grpc
import numpy as np
import pytest

import headrace as tf
from headrace.cluster import messages
from headrace.cluster.channels import TaskChannel
from headrace.cluster.pieces import PIECE, in_pieces, joined
from headrace.cluster.settings import ClusterSettings
from headrace.cluster.shared_memory import CallersSegments, OwnSegments, is_available
from headrace.cluster.wire import buffers_of, decode

linux = pytest.mark.skipif(not is_available(), reason="the system has no memfd_create")
SIZE = 1 << 20


@pytest.fixture(params=["shared", "in pieces"])
def target(request, monkeypatch):
    if request.param == "in pieces":
        monkeypatch.setenv("HEADRACE_CLUSTER_SHARED_MEMORY_BYTES", "0")
    server = tf.train.Server.create_local_server()
    yield server.target.replace("localhost", "127.0.0.1")
    del server


def test_large_tensors_come_and_go(target):
    x = tf.placeholder(tf.float32, [None])
    doubled, text = x * 2.0, tf.as_string(x)
    with tf.Session(target) as sess:
        found = []
        for i in range(20):
            given = np.full(SIZE + i, float(i), np.float32)
            found.append(sess.run(doubled, {x: given}))
        # What has come stays what it was, whatever comes later.
        for i, value in enumerate(found):
            np.testing.assert_array_equal(value, np.full(SIZE + i, 2.0 * i, np.float32))
        value += 1.0
        assert sess.run([text, doubled], {x: [1.0] * 3})[0][2] == b"1.000000"


def test_what_a_queue_keeps_of_a_message_stays(target):
    queue = tf.FIFOQueue(8, [tf.float32], shapes=[[SIZE]])
    x = tf.placeholder(tf.float32, [SIZE])
    put, taken = queue.enqueue(x), queue.dequeue()
    with tf.Session(target) as sess:
        for i in range(8):
            sess.run(put, {x: np.full(SIZE, float(i))})
        for i in range(8):
            np.testing.assert_array_equal(sess.run(taken), np.full(SIZE, float(i)))


@linux
def test_segments_are_used_again(monkeypatch):
    server = tf.train.Server.create_local_server()
    made = []
    take = OwnSegments.take

    def counted(self, size):
        made.append(segment := take(self, size))
        return segment

    monkeypatch.setattr(OwnSegments, "take", counted)
    x = tf.placeholder(tf.float32, [None])
    total = tf.reduce_sum(x)
    with tf.Session(server.target.replace("localhost", "127.0.0.1")) as sess:
        for _ in range(20):
            assert sess.run(total, {x: np.ones(SIZE)}) == SIZE
    assert 1 <= len({each.number for each in made}) <= 3


@linux
def test_memory_has_a_limit():
    own = OwnSegments(10 << 20)
    first = own.take(6 << 20)
    assert own.take(6 << 20) is None
    own.give_back([first.number])
    other = own.take(9 << 20)
    assert (other.size, own.dropped()) == (9 << 20, [first.number])


@linux
def test_a_lease_ends_with_the_last_array():
    own = OwnSegments(10 << 20)
    segment = own.take(1)
    array = own.lease(segment)[10:20].view(np.int16)
    assert own.take(1).number != segment.number
    del array
    assert own.take(1).number == segment.number


def _descriptor(name, size=1 << 20, seals=True):
    descriptor = os.memfd_create(name, os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    if seals:
        fcntl.fcntl(descriptor, 1033, 7)
    return descriptor


@linux
@pytest.mark.parametrize("kind", ["a file", "another name", "not sealed", "another size", "nothing", "another process"])
def test_only_segments_of_the_caller_are_opened(tmp_path, kind):
    name, process, size = "0" * 32, os.getpid(), 1 << 20
    if kind == "a file":
        path = tmp_path / "secret"
        path.write_bytes(bytes(size))
        descriptor = os.open(path, os.O_RDWR)
    else:
        descriptor = _descriptor(f"headrace-{'1' * 32 if kind == 'another name' else name}", seals=kind != "not sealed")
    known = {"nothing": 999_999, "another process": descriptor}.get(kind, descriptor)
    met = CallersSegments().meet(
        name, 1 if kind == "another process" else process, known, size * 2 if kind == "another size" else size
    )
    os.close(descriptor)
    assert not met


@linux
def test_what_is_none_in_shared_memory_is_refused():
    server = tf.train.Server.create_local_server()
    channel = TaskChannel(server.target.removeprefix("grpc://"), ClusterSettings())
    own = channel.memory()

    def code(**memory):
        request = messages.StepRequest(memory=messages.SharedMemory(**memory))
        request.tensors.add(dtype=1, shape=[4], place=memory.pop("place", 1))
        with pytest.raises(grpc.RpcError) as caught:
            channel.call("Worker", "RunPart")(request.SerializeToString())
        return caught.value.code()

    assert code(caller="nobody", request=messages.SegmentPlace(number=1)) is grpc.StatusCode.UNAVAILABLE
    assert code(caller=own.name, request=messages.SegmentPlace(number=7)) is grpc.StatusCode.INVALID_ARGUMENT
    assert code(caller=own.name) is grpc.StatusCode.INVALID_ARGUMENT
    assert code() is grpc.StatusCode.INVALID_ARGUMENT
    channel.close()


@pytest.mark.parametrize(
    ("header", "place"),
    [
        ({"dtype": 1, "shape": [300]}, 1),
        ({"dtype": 1, "shape": [1 << 62, 4]}, 1),
        ({"dtype": 1, "shape": [1]}, 2),
        ({"dtype": 1, "shape": [1]}, 4097),
        ({"dtype": 1, "shape": [1]}, -64),
        ({"dtype": 7, "shape": [1]}, 1),
        ({"dtype": 20, "shape": [1]}, 1),
    ],
)
def test_places_outside_of_the_memory_are_refused(header, place):
    request = messages.StepRequest(tensors=[messages.TensorHeader(place=place, **header)])
    with pytest.raises(tf.errors.InvalidArgumentError):
        decode(messages.StepRequest, request.SerializeToString(), lambda message: np.zeros(1024, np.uint8))


def test_what_has_no_room_goes_in_the_message():
    memory = np.zeros(100_000, np.uint8)
    values = [np.full(20_000, float(i), np.float32) for i in range(3)]
    data = b"".join(buffers_of(messages.StepResponse(), values, [tf.float32] * 3, memory))
    message, arrays = decode(messages.StepResponse, data, lambda message: memory)
    assert [bool(header.place) for header in message.tensors] == [True, False, False]
    for value, array in zip(values, arrays, strict=True):
        np.testing.assert_array_equal(value, array)


@pytest.mark.parametrize("sizes", [[], [0], [5, 0, 7], [PIECE], [PIECE - 1, 2], [3 * PIECE + 1, 5, PIECE]])
def test_pieces_make_the_message(sizes):
    random = np.random.RandomState(0)
    buffers = [random.bytes(size) for size in sizes]
    pieces = list(in_pieces(buffers))
    assert all(len(piece) <= PIECE for piece in pieces)
    assert bytes(joined(pieces, sum(sizes))) == b"".join(buffers)


@pytest.mark.parametrize(
    ("pieces", "error"),
    [
        ([], tf.errors.InvalidArgumentError),
        ([b"abc"], tf.errors.InvalidArgumentError),
        ([(3).to_bytes(8, "little"), b"ab"], tf.errors.InvalidArgumentError),
        ([(3).to_bytes(8, "little"), b"abcd"], tf.errors.InvalidArgumentError),
        ([(1 << 62).to_bytes(8, "little"), b"abcd"], tf.errors.ResourceExhaustedError),
    ],
)
def test_pieces_that_do_not_fit_are_refused(pieces, error):
    with pytest.raises(error):
        joined(pieces, 1000)
