"""Links: steps that are asked and answered one after the other on one connection, and what ends them."""

from __future__ import annotations

import gc
import os
import socket
import struct
import subprocess
import sys
import threading

import grpc
import numpy as np
import pytest

import headrace as tf
from headrace.cluster import messages
from headrace.cluster.calls import StepCaller
from headrace.cluster.channels import TaskChannel, channels
from headrace.cluster.launching import free_addresses
from headrace.cluster.links import Links, LocalLink, StreamLink, told
from headrace.cluster.settings import ClusterSettings
from headrace.cluster.shared_memory import Segment, is_available
from headrace.cluster.statuses import ToldFailure
from headrace.core.waiting import Waits

linux = pytest.mark.skipif(not is_available(), reason="the system has no memfd_create")
KINDS = [pytest.param("local", marks=linux), "stream"]


@pytest.fixture(params=KINDS)
def link_kind(request, monkeypatch):
    if request.param == "stream":
        monkeypatch.setenv("HEADRACE_CLUSTER_SHARED_MEMORY_BYTES", "0")
    return LocalLink if request.param == "local" else StreamLink


@pytest.fixture
def two(link_kind):
    """A server and a worker of this process, and where the server is."""
    spec = dict(zip(("ps", "worker"), ([each] for each in free_addresses(2)), strict=True))
    servers = [tf.train.Server(spec, job, 0) for job in spec]
    yield servers[1].target, spec["ps"][0]
    del servers


def _links(address):
    return channels.get(address)._links


def test_steps_share_one_link_until_they_meet(two, link_kind):
    target, address = two
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:ps/task:0"):
        v = tf.Variable([1.0, 2.0])
        y = v * x
        texts = tf.as_string(x)
    with tf.Session(target) as sess:
        sess.run(v.initializer)
        for i in range(10):
            np.testing.assert_array_equal(sess.run(y, {x: [i, i]}), [i, 2.0 * i])
        assert [type(each) for each in _links(address)._all] == [link_kind]
        # More than a link takes at once, in both directions.
        many = np.arange(100_000, dtype=np.float32)
        np.testing.assert_array_equal(sess.run(texts, {x: many}).astype(np.float32), many)

        found = {}
        threads = [threading.Thread(target=lambda i=i: found.update({i: sess.run(y, {x: [i, i]})})) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {i: list(value) for i, value in found.items()} == {i: [i, 2.0 * i] for i in range(8)}
        assert len(_links(address)._free) == len(_links(address)._all) <= 9


def test_what_fails_is_told_and_the_link_goes_on(two):
    target, address = two
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:ps/task:0"):
        y = tf.check_numerics(x, "no number", name="checked")
    with tf.Session(target) as sess:
        sess.run(y, {x: [1.0]})
        links = _links(address)._all.copy()
        with pytest.raises(tf.errors.InvalidArgumentError, match="From /job:ps/replica:0/task:0") as caught:
            sess.run(y, {x: [float("nan")]})
        assert caught.value.op is y.op
        assert list(sess.run(y, {x: [2.0]})) == [2.0]
        assert _links(address)._all == links


def test_a_link_that_ends_is_told_and_another_is_made(two):
    target, address = two
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    with tf.Session(target) as sess:
        sess.run(v.initializer)
        before = _links(address)._all.copy()
        for link in before:
            link.close()
        assert sess.run(v) == 1.0
        assert not _links(address)._all & before


class _Silent:
    """A link that is never answered."""

    def __init__(self):
        self.asked, self.ended = threading.Event(), threading.Event()

    def send(self, data):
        self.asked.set()

    def receive(self):
        self.ended.wait()
        raise ToldFailure(grpc.StatusCode.UNAVAILABLE.value[0], "It is closed.")

    def is_open(self):
        return True

    def close(self):
        self.ended.set()


@pytest.fixture
def silent(monkeypatch):
    """What calls a server that does not answer, and the link."""
    link = _Silent()
    channel = TaskChannel("localhost:1", ClusterSettings(shared_memory=0))
    links = Links(lambda: link)
    monkeypatch.setattr(channel, "links", lambda name: links)
    caller = StepCaller(channel, "Worker", "RunPart", lambda error: tf.errors.OpError(None, None, "", 2), 0, "RunParts")
    yield caller, link, links
    channel.close()


def test_a_session_that_closes_ends_the_wait_for_an_answer(silent):
    caller, link, links = silent
    waits = Waits()
    closing = threading.Thread(target=lambda: (link.asked.wait(), waits.close()))
    closing.start()
    with pytest.raises(tf.errors.CancelledError):
        waits.wait(caller.begin(messages.StepRequest(), [], []))
    closing.join()
    assert link.ended.is_set()
    assert not links._all


# What other tests left to be collected is not this one's.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_a_step_that_nobody_waits_for_gives_its_link_up(silent):
    caller, link, links = silent
    call = caller.begin(messages.StepRequest(), [], [])
    assert links._all == {link}
    del call
    gc.collect()
    assert link.ended.is_set()
    assert not links._all


def test_a_step_with_a_time_limit_is_a_call_of_its_own(two):
    target, address = two
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    with tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=60_000)) as sess:
        sess.run(v.initializer)
        assert sess.run(v) == 1.0
    assert _links(address) is None


# ---- what is no caller, and no message


@pytest.fixture
def met():
    """A server, the address of its socket, and the name that it knows this process by."""
    server = tf.train.Server.create_local_server()
    name = os.urandom(16).hex()
    segment = Segment(1, name, 1 << 20)
    channel = TaskChannel(server.target.removeprefix("grpc://"), ClusterSettings())
    first = messages.SegmentPlace(number=1, descriptor=segment.descriptor, size=segment.size)
    request = messages.MeetRequest(caller=name, process=os.getpid(), first=first)
    call = channel._channel.unary_stream("/headrace.cluster.Memory/Meet")(request.SerializeToString())
    answer = messages.MeetResponse.FromString(next(call))
    assert answer.met
    yield server, answer.links, name
    call.cancel()
    channel.close()


def _still_serves(server):
    with tf.Graph().as_default(), tf.Session(server.target.replace("localhost", "127.0.0.1")) as sess:
        assert sess.run(tf.constant(2.0) * 3.0) == 6.0


def _ask(link):
    link.send(b"")
    return link.receive()


@linux
def test_only_those_that_have_met_are_answered(met):
    server, address, name = met
    for shown in ("0" * 32, name[::-1], "\xff" * 16):
        with pytest.raises(ToldFailure, match="The connection was cut"):
            _ask(LocalLink(address, shown, 1 << 20))
    link = LocalLink(address, name, 1 << 20)
    link.send(messages.StepRequest(session="none", part=1).SerializeToString())
    with pytest.raises(ToldFailure) as caught:
        told(link.receive())
    assert caught.value.status is grpc.StatusCode.ABORTED
    _still_serves(server)


@linux
@pytest.mark.parametrize("seed", range(20))
def test_messages_that_are_none_are_answered(met, seed):
    server, address, name = met
    rng = np.random.RandomState(seed)
    link = LocalLink(address, name, 1 << 20)
    for size in (1, 3, 17, 400, 100_000):
        link.send(b"\x0a\xff\xff\xff\xff\x0f" + rng.bytes(size))
        with pytest.raises(ToldFailure) as caught:
            told(link.receive())
        assert caught.value.status in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.ABORTED)
    _still_serves(server)


@linux
@pytest.mark.parametrize("sent", [struct.pack("!iQ", -1, 1 << 62), struct.pack("!i", (1 << 31) - 1), b"", b"\x01"])
def test_sizes_that_are_none_end_the_link(met, sent):
    server, address, name = met
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(address)
        link.sendall(struct.pack("!i", len(name)) + name.encode() + sent)
        link.shutdown(socket.SHUT_WR)
        assert link.recv(1) == b""
    _still_serves(server)


@linux
def test_links_end_with_the_caller(met):
    server, address, name = met
    link = LocalLink(address, name, 1 << 20)
    link.send(b"")
    with pytest.raises(ToldFailure):
        told(link.receive())
    assert link.is_open()
    server._server.links.forget(name)
    assert not link.is_open()


@linux
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root becomes another user")
def test_another_user_is_not_answered(met):
    server, address, name = met
    program = (
        "import os, sys; from multiprocessing.connection import Client; os.setuid(65534)\n"
        "link = Client(chr(0) + sys.argv[1], 'AF_UNIX')\n"
        "try:\n    link.send_bytes(sys.argv[2].encode()); link.send_bytes(b''); print(link.recv_bytes())\n"
        "except (EOFError, OSError):\n    print('refused')\n"
    )
    command = [sys.executable, "-c", program, address.removeprefix("\0"), name]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == "refused\n"
    _still_serves(server)
