"""`headrace serve` as a process: TLS, unix sockets, limits on slow clients, drain and end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import grpc
import numpy as np
import pytest

import headrace.serve
from headrace.serve import messages
from headrace.serve.tensor_messages import fill_message

ROOT = Path(headrace.serve.__file__).parents[2]
# Made by OpenSSL for a hundred years: a certificate authority, and what it signed for "localhost" and 127.0.0.1.
KEYS = ROOT / "tests" / "fixtures" / "serving"
BODY = json.dumps({"instances": [1.0]}).encode()
PREDICT = "/v1/models/half:predict"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return opened.getsockname()[1]


class Process:
    """A server in a process of its own."""

    def __init__(self, log, *arguments, **flags):
        self.log = log
        flags = {"model_name": "half", "host": "127.0.0.1", "port": 0, **flags}
        command = [sys.executable, "-m", "headrace", "serve", *map(str, arguments)]
        command += [f"--{name}={value}" for name, value in flags.items()]
        with open(log, "w") as file:
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            self.process = subprocess.Popen(command, env=environment, stdout=file, stderr=file)

    def wait_for(self, what, ask):
        """What `ask` gives once it does not fail."""
        while True:
            assert self.process.poll() is None, f"{what}: {self.log.read_text()}"
            try:
                return ask()
            except (OSError, grpc.RpcError):
                threading.Event().wait(0.05)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(60) == 0
        assert "Traceback" not in self.log.read_text()

    def close(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def secured(saved, tmp_path_factory):
    """A server with TLS on its ports, clients of gRPC known by certificates, and with unix sockets."""
    folder = tmp_path_factory.mktemp("secured")
    quoted = {
        "server_key": "server.key",
        "server_cert": "server.pem",
        "custom_ca": "ca.pem",
    }
    text = "".join(f"{field}: {json.dumps((KEYS / name).read_text())}\n" for field, name in quoted.items())
    (folder / "ssl.config").write_text(text + "client_verify: true\n")
    found = Process(
        folder / "log",
        model_base_path=saved,
        port=free_port(),
        rest_api_port=(rest_port := free_port()),
        ssl_config_file=folder / "ssl.config",
        rest_certificate=KEYS / "server.pem",
        rest_key=KEYS / "server.key",
        rest_socket_path=folder / "rest.socket",
        grpc_socket_path=folder / "grpc.socket",
        enable_grpc_healthcheck_service="true",
    )
    found.rest_port, found.folder = rest_port, folder
    found.grpc_port = next(part for part in found.process.args if part.startswith("--port=")).partition("=")[2]
    try:
        found.wait_for("REST", lambda: ask_securely(found, "/readyz"))
        yield found
        found.end()
        assert not (folder / "rest.socket").exists()
    finally:
        found.close()


def ask_securely(server, path, body=None):
    context = ssl.create_default_context(cafile=KEYS / "ca.pem")
    address = f"https://localhost:{server.rest_port}{path}"
    with urllib.request.urlopen(address, body, 60, context=context) as response:
        return response.read()


def test_rest_over_tls(secured):
    assert json.loads(ask_securely(secured, PREDICT, BODY)) == {"predictions": [2.5]}
    with (
        socket.create_connection(("127.0.0.1", secured.rest_port), timeout=60) as opened,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        ssl.create_default_context().wrap_socket(opened, server_hostname="localhost")
    with socket.create_connection(("127.0.0.1", secured.rest_port), timeout=60) as opened:
        opened.sendall(b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
        assert b"HTTP" not in opened.recv(100)


def predict(channel):
    request = messages.PredictRequest()
    request.model_spec.name = "half"
    fill_message(request.inputs["x"], np.float32([1.0]))
    method = channel.unary_unary(
        "/tensorflow.serving.PredictionService/Predict",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=messages.PredictResponse.FromString,
    )
    return list(method(request, timeout=60).outputs["y"].float_val)


def test_grpc_over_tls_knows_its_clients(secured):
    authority = (KEYS / "ca.pem").read_bytes()
    known = grpc.ssl_channel_credentials(
        authority, (KEYS / "client.key").read_bytes(), (KEYS / "client.pem").read_bytes()
    )
    with grpc.secure_channel(f"localhost:{secured.grpc_port}", known) as channel:
        assert predict(channel) == [2.5]
    for stranger in (grpc.ssl_channel_credentials(authority), None):
        address = f"localhost:{secured.grpc_port}"
        channel = grpc.secure_channel(address, stranger) if stranger else grpc.insecure_channel(address)
        with channel, pytest.raises(grpc.RpcError) as caught:
            predict(channel)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE


def test_unix_sockets(secured):
    with grpc.insecure_channel(f"unix:{secured.folder / 'grpc.socket'}") as channel:
        assert predict(channel) == [2.5]
    with socket.socket(socket.AF_UNIX) as opened:
        opened.settimeout(60)
        opened.connect(str(secured.folder / "rest.socket"))
        context = ssl.create_default_context(cafile=KEYS / "ca.pem")
        with context.wrap_socket(opened, server_hostname="localhost") as wrapped:
            head = f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {len(BODY)}\r\n\r\n"
            wrapped.sendall(head.encode() + BODY)
            data = b"".join(iter(lambda: wrapped.recv(4096), b""))
    assert json.loads(data.partition(b"\r\n\r\n")[2]) == {"predictions": [2.5]}


@pytest.fixture
def plain(saved, tmp_path):
    """Starts servers over plain HTTP; they are ended if they still run."""
    started = []

    def start(**flags):
        port = free_port()
        found = Process(tmp_path / f"log{port}", rest_api_port=port, **flags)
        started.append(found)
        found.rest_port = port
        found.address = f"http://127.0.0.1:{port}"
        found.wait_for("REST", lambda: urllib.request.urlopen(f"{found.address}/readyz", timeout=60).close())
        return found

    yield start
    for found in started:
        found.close()


def test_it_drains_before_it_ends(saved, plain):
    server = plain(model_base_path=saved, drain_seconds=2, port=(port := free_port()), log_requests="true")
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        watch = channel.unary_stream(
            "/grpc.health.v1.Health/Watch",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=messages.HealthCheckResponse.FromString,
        )
        states = watch(messages.HealthCheckRequest(), timeout=60)
        assert next(states).status == 1
        server.process.send_signal(signal.SIGTERM)
        # Who balances load is told, and requests are answered meanwhile.
        assert next(states).status == 2
        connection = http.client.HTTPConnection("127.0.0.1", server.rest_port, timeout=60)
        connection.request("GET", "/readyz")
        assert connection.getresponse().status == 503
        connection.close()
        with urllib.request.urlopen(server.address + PREDICT, BODY, 60) as response:
            assert json.load(response) == {"predictions": [2.5]}
    assert server.process.wait(60) == 0
    text = server.log.read_text()
    assert "Traceback" not in text
    assert "POST /v1/models/half:predict 200" in text
    # What it serves is said before it is loaded.
    assert text.index("serving_default") < text.index("Loading half version 2") < text.index("Serving half version 2")


def test_a_graph_with_functions_of_ones_own(plain, tmp_path):
    import headrace as tf

    with tf.Graph().as_default() as graph:
        tf.multiply(tf.placeholder(tf.float32, [None, 2], name="x"), 2.0, name="y")
        tf.train.write_graph(graph.as_graph_def(), str(tmp_path), "twice.pb", as_text=False)
    (tmp_path / "handler.py").write_text(
        "def encode(body):\n    return {'x': [float(word) for word in body.split()]}\n\n"
        "def decode(outputs):\n    return {'twice': outputs['y']}\n"
    )
    flags = {"inputs": "x:0", "outputs": "y:0", "codec": tmp_path / "handler.py", "model_name": "twice"}
    server = Process(tmp_path / "log", tmp_path / "twice.pb", rest_api_port=(rest_port := free_port()), **flags)
    try:
        address = f"http://127.0.0.1:{rest_port}"
        server.wait_for("REST", lambda: urllib.request.urlopen(f"{address}/readyz", timeout=60).close())
        with urllib.request.urlopen(f"{address}/", b"1.5 2", 60) as response:
            assert json.load(response) == {"twice": [3.0, 4.0]}
        with urllib.request.urlopen(f"{address}/v1/models/twice:predict", b'{"instances": [[1, 2]]}', 60) as response:
            assert json.load(response) == {"predictions": [[2.0, 4.0]]}
        server.end()
    finally:
        server.close()
