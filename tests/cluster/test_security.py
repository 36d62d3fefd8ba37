"""What callers of other processes may not do, and what servers make of messages that are none."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess

import grpc
import numpy as np
import pytest

import headrace as tf
from headrace.cluster import messages
from headrace.cluster.channels import TaskChannel
from headrace.cluster.launching import free_addresses
from headrace.cluster.settings import ClusterSettings, from_environment
from headrace.cluster.target import RemoteTarget
from headrace.cluster.wire import encode

MASTER = ["CreateSession", "ExtendSession", "RunStep", "PartialRunSetup", "CloseSession", "ListDevices", "Reset"]
WORKER = ["GetStatus", "RegisterPart", "RunPart", "EndSession", "Clear", "CollectiveStore"]
STREAMS = [("Master", "RunStepInPieces"), ("Worker", "RunPartInPieces"), ("Memory", "Meet")]


@pytest.fixture(scope="module")
def server():
    return tf.train.Server.create_local_server()


@pytest.fixture
def channel(server):
    channel = TaskChannel(server.target.removeprefix("grpc://"), ClusterSettings())
    yield channel
    channel.close()


def _elsewhere(server):
    return server.target.replace("localhost", "127.0.0.1")


def _code(channel, service, method, data, **settings):
    with pytest.raises(grpc.RpcError) as caught:
        channel.call(service, method)(data, timeout=10, **settings)
    return caught.value.code()


def _still_serves(server):
    with tf.Graph().as_default(), tf.Session(_elsewhere(server)) as sess:
        assert sess.run(tf.constant(2.0) * 3.0) == 6.0


def _file_operations(path):
    x = tf.placeholder(tf.string, [])
    yield tf.write_file(x, "text"), {x: path}
    yield tf.read_file(x), {x: __file__}
    yield tf.matching_files(x), {x: "/*"}
    yield tf.data.TextLineDataset(x).make_initializable_iterator().initializer, {x: __file__}
    yield tf.train.Saver([tf.Variable(1.0)]).saver_def.save_tensor_name, {}
    yield tf.py_func(os.getcwd, [], tf.string), {}


@pytest.mark.parametrize("number", range(6))
def test_files_and_python_are_refused_to_others(server, tmp_path, number):
    path = str(tmp_path / "written")
    fetch, feeds = list(_file_operations(path))[number]
    with (
        tf.Session(_elsewhere(server)) as sess,
        pytest.raises(tf.errors.PermissionDeniedError, match="HEADRACE_CLUSTER"),
    ):
        sess.run(fetch, feeds)
    assert not os.path.exists(path)
    _still_serves(server)


def test_functions_are_looked_into(server):
    @tf.contrib.eager.defun
    def reads(name):
        return tf.read_file(name)

    with tf.Session(_elsewhere(server)) as sess, pytest.raises(tf.errors.PermissionDeniedError):
        sess.run(reads(tf.constant(__file__)))


def test_own_sessions_use_files(server, tmp_path):
    path = tmp_path / "written"
    with tf.Session(server.target) as sess:
        sess.run(tf.write_file(str(path), "text"))
    assert path.read_text() == "text"


def test_the_owner_allows_files(monkeypatch, tmp_path):
    monkeypatch.setenv("HEADRACE_CLUSTER_ALLOW", "files")
    server = tf.train.Server.create_local_server()
    path = tmp_path / "written"
    with tf.Session(_elsewhere(server)) as sess:
        sess.run(tf.write_file(str(path), "text"))
    assert path.read_text() == "text"


def test_servers_connect_to_other_clusters_when_the_owner_allows_it(monkeypatch):
    servers = [tf.train.Server.create_local_server() for _ in range(2)]
    monkeypatch.setenv("HEADRACE_CLUSTER_ALLOW", "clusters")
    generous = tf.train.Server.create_local_server()
    with tf.device("/job:worker/task:1"):
        doubled = tf.constant(3.0) * 2.0
    for first in (servers[0], generous):
        tasks = [server.target.removeprefix("grpc://") for server in (first, servers[1])]
        config = tf.ConfigProto(cluster_def=tf.train.ClusterSpec({"worker": tasks}).as_cluster_def())
        with tf.Session(first.target, config=config) as sess:
            assert sess.run(doubled) == 6.0
        with tf.Session(_elsewhere(first), config=config) as sess:
            if first is generous:
                assert sess.run(doubled) == 6.0
                continue
            with pytest.raises(tf.errors.PermissionDeniedError, match="HEADRACE_CLUSTER_ALLOW=clusters"):
                sess.run(doubled)


def test_checkpoints_of_servers_are_written_by_the_session(cluster, tmp_path):
    """The servers write no files for others, so what they hold comes to the task of the session, which does."""
    with tf.device("/job:ps/task:0"):
        a = tf.Variable(tf.ones([3]), name="a")
    with tf.device("/job:ps/task:1"):
        b = tf.Variable(2.0, name="b")
    saver = tf.train.Saver(sharded=True)
    with tf.Session(cluster.target()) as sess:
        sess.run(tf.global_variables_initializer())
        path = saver.save(sess, str(tmp_path / "model"))
        sess.run([a.assign_add(tf.ones([3])), b.assign(7.0)])
        saver.restore(sess, path)
        assert sess.run([b, tf.reduce_sum(a)]) == [2.0, 3.0]
    # A checkpoint of a cluster goes on in one process.
    with tf.Graph().as_default(), tf.Session() as sess:
        a = tf.Variable(tf.zeros([3]), name="a")
        tf.train.Saver([a]).restore(sess, path)
        assert sess.run(tf.reduce_sum(a)) == 3.0
    tf.Session.reset(cluster.target())


@pytest.mark.parametrize(("service", "method"), [("Master", m) for m in MASTER] + [("Worker", m) for m in WORKER])
def test_messages_that_are_none(server, channel, service, method):
    rng = np.random.RandomState(len(method))
    codes = set()
    for size in (1, 3, 17, 400):
        # It says of itself that it goes on for longer than it does.
        data = b"\x0a\xff\xff\xff\xff\x0f" + bytes(rng.randint(0, 256, size, dtype=np.uint8))
        codes.add(_code(channel, service, method, data))
    # Some of them happen to be messages, of a session that is not there.
    assert codes <= {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.ABORTED}
    _still_serves(server)


def test_unknown_sessions_and_parts(channel):
    request = messages.StepRequest(session="none", part=3).SerializeToString()
    aborted = grpc.StatusCode.ABORTED
    assert _code(channel, "Master", "RunStep", request) is aborted
    assert _code(channel, "Worker", "RunPart", request) is aborted
    extend = messages.ExtendSessionRequest(session="none").SerializeToString()
    assert _code(channel, "Master", "ExtendSession", extend) is aborted


def _part(**fields):
    graph_def = tf.get_default_graph().as_graph_def()
    return messages.RegisterPartRequest(session="s", graph_def=graph_def.SerializeToString(), **fields)


def test_parts_that_are_none(channel):
    tf.constant(1.0, name="one")
    for fields in ({"fetches": ["two:0"]}, {"fetches": ["one:3"]}, {"feeds": ["one"]}, {"targets": ["two"]}):
        code = _code(channel, "Worker", "RegisterPart", _part(**fields).SerializeToString())
        assert code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND)
    aborted = _part(fetches=["one:0"], incarnation=5).SerializeToString()
    assert _code(channel, "Worker", "RegisterPart", aborted) is grpc.StatusCode.ABORTED
    # What only the planner makes relies on what a file cannot say.
    request = _part(fetches=["one:0"])
    graph_def = tf.GraphDef.FromString(request.graph_def)
    graph_def.node[0].op = "_RemoteCall"
    request.graph_def = graph_def.SerializeToString()
    _code(channel, "Worker", "RegisterPart", request.SerializeToString())


def test_parts_check_what_they_are_given(channel):
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.identity(x, name="y")
    answer = channel.call("Worker", "RegisterPart")(_part(feeds=["x:0"], fetches=["y:0"]).SerializeToString())
    part = messages.RegisterPartResponse.FromString(answer).part
    for value, dtype in ((np.zeros(3, np.float32), tf.float32), (np.array([b"a", b"b"], object), tf.string)):
        request = encode(messages.StepRequest(session="s", part=part), [value], [dtype])
        assert _code(channel, "Worker", "RunPart", request) is grpc.StatusCode.INVALID_ARGUMENT
    assert _code(channel, "Worker", "RunPart", messages.StepRequest(session="s", part=part).SerializeToString()) is (
        grpc.StatusCode.INVALID_ARGUMENT
    )


def test_graphs_are_bounded(monkeypatch):
    monkeypatch.setenv("HEADRACE_CLUSTER_MAX_NODES", "20")
    server = tf.train.Server.create_local_server()
    total = tf.add_n([tf.constant(float(i)) for i in range(30)])
    with tf.Session(_elsewhere(server)) as sess, pytest.raises(tf.errors.ResourceExhaustedError, match="20 nodes"):
        sess.run(total)


def test_messages_are_bounded(monkeypatch):
    monkeypatch.setenv("HEADRACE_CLUSTER_MAX_MESSAGE_BYTES", "100000")
    server = tf.train.Server.create_local_server()
    x = tf.placeholder(tf.float32, [None])
    total = tf.reduce_sum(x)
    with tf.Session(_elsewhere(server)) as sess:
        assert sess.run(total, {x: np.ones(1000)}) == 1000.0
        with pytest.raises(tf.errors.ResourceExhaustedError):
            sess.run(total, {x: np.ones(100_000)})


def test_a_token(monkeypatch):
    monkeypatch.setenv("HEADRACE_CLUSTER_TOKEN", "secret")
    server = tf.train.Server.create_local_server()
    _still_serves(server)
    address = server.target.removeprefix("grpc://")
    for settings in (ClusterSettings(), ClusterSettings(token="wrong")):
        channel = TaskChannel(address, settings)
        for service, methods in (("Master", MASTER), ("Worker", WORKER)):
            for method in methods:
                code = _code(channel, service, method, b"", metadata=channel.metadata)
                assert code is grpc.StatusCode.UNAUTHENTICATED
        for service, method in STREAMS:
            call = channel.stream(service, method)(iter([b""]), timeout=10, metadata=channel.metadata)
            with pytest.raises(grpc.RpcError) as caught:
                next(call)
            assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        channel.close()
    monkeypatch.delenv("HEADRACE_CLUSTER_TOKEN")
    with tf.Session(_elsewhere(server)) as sess, pytest.raises(tf.errors.UnauthenticatedError):
        sess.run(tf.constant(1.0))


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """The paths of two pairs of key and certificate, each of which proves itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificates")
    folder = tmp_path_factory.mktemp("certificates")
    pairs = []
    for name in ("ours", "theirs"):
        key, certificate = folder / f"{name}.key", folder / f"{name}.pem"
        command = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
        )
        subjects = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        subprocess.run(
            [*command.split(), *subjects, "-keyout", str(key), "-out", str(certificate)],
            check=True,
            capture_output=True,
        )
        pairs.append((str(key), str(certificate)))
    return pairs


def test_tls(certificates, monkeypatch):
    """Who does not encrypt, or shows a certificate that is not trusted, is not heard."""
    (key, certificate), (other_key, other) = certificates
    for name, value in (("KEY", key), ("CERTIFICATE", certificate), ("AUTHORITY", certificate)):
        monkeypatch.setenv(f"HEADRACE_CLUSTER_TLS_{name}", value)
    server = tf.train.Server.create_local_server()
    _still_serves(server)
    address = server.target.removeprefix("grpc://")
    strangers = [
        ClusterSettings(),
        ClusterSettings(authority=certificate),
        ClusterSettings(key=other_key, certificate=other, authority=certificate),
        ClusterSettings(key=key, certificate=certificate, authority=other),
    ]
    for settings in strangers:
        channel = TaskChannel(address, settings)
        assert _code(channel, "Worker", "GetStatus", b"") is grpc.StatusCode.UNAVAILABLE
        channel.close()
    _still_serves(server)


def test_a_cluster_over_tls(certificates, start_task, monkeypatch):
    (key, certificate), _ = certificates
    one, other = free_addresses(2)
    cluster = {"ps": [one], "worker": [other]}
    variables = {"TLS_KEY": key, "TLS_CERTIFICATE": certificate, "TLS_AUTHORITY": certificate, "TOKEN": "secret"}
    variables = {f"HEADRACE_CLUSTER_{name}": value for name, value in variables.items()}
    # First, as the process that tasks are forked from keeps the variables that it begins with.
    start_task(cluster, "ps", **variables)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    worker = tf.train.Server(cluster, "worker", 0)
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.ones([100_000]))
    with tf.Session(worker.target) as sess:
        sess.run(v.initializer)
        assert sess.run(tf.reduce_sum(v.assign_add(v))) == 200_000


def test_who_agrees_on_no_tls_is_told_rather_than_waited_for(certificates, start_task, monkeypatch):
    (key, certificate), (other_key, other) = certificates
    addresses = free_addresses(2)
    cluster = {"ps": addresses[:1], "worker": addresses[1:]}
    start_task(cluster, "ps", HEADRACE_CLUSTER_TLS_KEY=other_key, HEADRACE_CLUSTER_TLS_CERTIFICATE=other)
    monkeypatch.setenv("HEADRACE_CLUSTER_TLS_KEY", key)
    monkeypatch.setenv("HEADRACE_CLUSTER_TLS_CERTIFICATE", certificate)
    worker = tf.train.Server(cluster, "worker", 0)
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    sess = tf.Session(worker.target, config=tf.ConfigProto(operation_timeout_in_ms=500))
    with pytest.raises(tf.errors.UnavailableError, match=r"/job:ps/replica:0/task:0 .* TLS"):
        sess.run(v.initializer)


def _tls(monkeypatch, **paths):
    """Sets what the process shows and trusts; nothing else stays."""
    for name in ("KEY", "CERTIFICATE", "AUTHORITY"):
        monkeypatch.delenv(f"HEADRACE_CLUSTER_TLS_{name}", raising=False)
    for name, path in paths.items():
        monkeypatch.setenv(f"HEADRACE_CLUSTER_TLS_{name.upper()}", path)


@pytest.fixture(scope="module")
def no_pem(tmp_path_factory):
    """The path of a file that holds no certificate and no key."""
    path = tmp_path_factory.mktemp("files") / "no.pem"
    path.write_text("nothing")
    return str(path)


# What the server shows and asks for, what the client does, what it is told. 0 and 1 are the pairs.
DISAGREEMENTS = [
    ({"pair": 0}, {}, "the server uses TLS, and this process does not: set HEADRACE_CLUSTER_TLS_AUTHORITY"),
    ({"pair": 0, "authority": 0}, {}, "the server uses TLS, and this process does not"),
    ({"pair": 0, "authority": 0}, {"authority": 0}, "shows no certificate, see HEADRACE_CLUSTER_TLS_CERTIFICATE"),
    (
        {"pair": 0, "authority": 0},
        {"pair": 1, "authority": 0},
        r"shows HEADRACE_CLUSTER_TLS_CERTIFICATE \(.*theirs.pem",
    ),
    ({"pair": 0}, {"authority": 1}, "does not trust the server's certificate, see HEADRACE_CLUSTER_TLS_AUTHORITY"),
    ({}, {"authority": 0}, "this process uses TLS, and the server does not"),
]


def _paths(certificates, pair=None, authority=None):
    found = {} if pair is None else {"key": certificates[pair][0], "certificate": certificates[pair][1]}
    return found if authority is None else {**found, "authority": certificates[authority][1]}


@pytest.mark.parametrize(("serves", "asks", "told"), DISAGREEMENTS)
def test_clients_are_told_what_they_disagree_on(certificates, monkeypatch, serves, asks, told):
    _tls(monkeypatch, **_paths(certificates, **serves))
    server = tf.train.Server.create_local_server()
    _tls(monkeypatch, **_paths(certificates, **asks))
    with tf.Session(_elsewhere(server)) as sess, pytest.raises(tf.errors.UnavailableError, match=told):
        sess.run(tf.constant(1.0))
    for limit in (0, 500):
        with pytest.raises(tf.errors.UnavailableError, match=told):
            tf.Session.reset(_elsewhere(server), config=tf.ConfigProto(operation_timeout_in_ms=limit))
    _tls(monkeypatch, **_paths(certificates, **serves))
    _still_serves(server)


def test_a_client_that_waits_for_a_server_is_told_when_it_comes(certificates, monkeypatch):
    """A session that began to wait before there was a server has no call that the connection's end would fail."""
    _tls(monkeypatch, **_paths(certificates, pair=0))
    server = tf.train.Server.create_local_server()
    _tls(monkeypatch)
    target = RemoteTarget(_elsewhere(server), tf.get_default_graph(), None)
    monkeypatch.setattr("headrace.cluster.target._TELL_EVERY", 0.2)
    with pytest.raises(tf.errors.UnavailableError, match="the server uses TLS, and this process does not"):
        target._wait_for_server(None)
    del server


def test_a_worker_without_tls_is_told_rather_than_waiting(certificates, start_task, monkeypatch):
    (key, certificate), _ = certificates
    addresses = free_addresses(2)
    cluster = {"ps": addresses[:1], "worker": addresses[1:]}
    start_task(cluster, "ps", HEADRACE_CLUSTER_TLS_KEY=key, HEADRACE_CLUSTER_TLS_CERTIFICATE=certificate)
    worker = tf.train.Server(cluster, "worker", 0)
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    sess = tf.Session(worker.target, config=tf.ConfigProto(operation_timeout_in_ms=500))
    with pytest.raises(tf.errors.UnavailableError, match=r"/job:ps/replica:0/task:0 .* this process does not: set"):
        sess.run(v.initializer)


def test_a_server_says_what_is_wrong_with_its_files(certificates, no_pem, monkeypatch):
    (key, certificate), (other_key, _) = certificates
    wrong = [
        ({"key": other_key, "certificate": certificate}, r"_TLS_KEY \(.*theirs.key\) .* mismatch"),
        ({"key": no_pem, "certificate": certificate}, r"_TLS_KEY \(.*no.pem\) must be"),
        ({"key": key, "certificate": no_pem}, r"_TLS_CERTIFICATE \(.*no.pem\), a PEM file too"),
        ({"key": key, "certificate": certificate, "authority": no_pem}, r"_TLS_AUTHORITY \(.*no.pem\) must be"),
    ]
    for paths, told in wrong:
        _tls(monkeypatch, **paths)
        with pytest.raises(tf.errors.UnknownError, match=f"Could not start gRPC server: .*{told}"):
            tf.train.Server.create_local_server()
    _tls(monkeypatch, key=key + ".not", certificate=certificate)
    with pytest.raises(OSError, match=r"ours.key.not"):
        tf.train.Server.create_local_server()


def test_encrypted_keys_are_refused_without_asking_at_the_terminal(certificates, monkeypatch, tmp_path):
    (key, certificate), _ = certificates
    locked = tmp_path / "locked.key"
    subprocess.run(
        ["openssl", "ec", "-in", key, "-aes128", "-passout", "pass:word", "-out", str(locked)],
        check=True,
        capture_output=True,
    )
    _tls(monkeypatch, key=str(locked), certificate=certificate)
    with pytest.raises(tf.errors.UnknownError, match=r"locked.key\) .* the key is encrypted"):
        tf.train.Server.create_local_server()


def test_a_server_listens_at_its_address_only():
    (address,) = free_addresses(1)
    port = int(address.rpartition(":")[2])
    server = tf.train.Server({"local": [f"127.0.0.1:{port}"]})
    with socket.create_connection(("127.0.0.1", port)):
        pass
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.2", port), timeout=5)
    with pytest.raises(tf.errors.UnknownError, match="Could not start gRPC server"):
        tf.train.Server({"local": [f"127.0.0.1:{port}"]})
    with pytest.raises(tf.errors.UnknownError, match="HEADRACE_CLUSTER_BIND"):
        tf.train.Server({"local": ["192.0.2.1:0"]})
    with pytest.raises(tf.errors.UnknownError, match=r"a\.\.b:2000 .* no address"):
        tf.train.Server({"local": ["a..b:2000"]})
    # A name of two addresses, one of which is taken: who connects would meet the other program.
    with pytest.raises(tf.errors.UnknownError, match="is taken"):
        tf.train.Server({"local": [f"localhost:{port}"]})
    del server


@pytest.mark.parametrize(
    "variables",
    [{"ALLOW": "everything"}, {"MAX_NODES": "none"}, {"TLS_KEY": "key.pem"}, {"KEEPALIVE_SECONDS": "-1"}],
)
def test_settings_that_are_none(variables):
    with pytest.raises(ValueError, match="HEADRACE_CLUSTER_"):
        from_environment({f"HEADRACE_CLUSTER_{name}": value for name, value in variables.items()})
