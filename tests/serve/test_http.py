"""The REST interface on a socket: what HTTP itself brings along."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

import headrace.serve
from headrace.cli.commands import headrace as command
from headrace.serve.batching import BatchingOptions
from headrace.serve.model_configs import ModelConfig
from headrace.serve.rest_app import RestApplication, RestOptions

ROOT = Path(headrace.serve.__file__).parents[2]


@pytest.fixture
def ask(half, listen):
    """Sends requests to a server of `half`; status, headers and body of the answers."""
    port = listen(RestApplication(half, RestOptions(max_body=5000, cors=True)))

    def send(method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(method, path, body, {key.replace("_", "-"): value for key, value in headers.items()})
        response = connection.getresponse()
        data = response.read()
        connection.close()
        return response.status, dict(response.getheaders()), data

    send.port = port
    return send


BODY = json.dumps({"instances": [1.0]})
PREDICT = "/v1/models/half:predict"


def test_an_answer_is_json(ask):
    status, headers, data = ask("POST", PREDICT, BODY)
    assert (status, headers["content-type"], json.loads(data)) == (200, "application/json", {"predictions": [2.5]})
    assert headers["access-control-allow-origin"] == "*"


def test_other_methods(ask):
    status, headers, data = ask("HEAD", "/v1/models/half")
    assert (status, data) == (200, b"")
    assert int(headers["content-length"]) > 0
    assert ask("OPTIONS", PREDICT, Origin="http://elsewhere")[0] == 200
    assert ask("OPTIONS", PREDICT)[0] == 400
    assert ask("PUT", PREDICT, BODY)[0] == 400
    assert ask("GET", "/elsewhere")[0] == 404
    assert ask("POST", "/elsewhere", BODY)[0] == 404


def test_gzip_both_ways(ask):
    status, headers, data = ask("GET", "/v1/models/half/metadata", Accept_Encoding="gzip")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert json.loads(gzip.decompress(data))["model_spec"]["name"] == "half"
    assert ask("POST", PREDICT, gzip.compress(BODY.encode()), Content_Encoding="gzip")[0] == 200
    assert ask("POST", PREDICT, b"no gzip", Content_Encoding="gzip")[0] == 400
    assert ask("POST", PREDICT, gzip.compress(BODY.encode())[:-9], Content_Encoding="gzip")[0] == 400
    assert ask("POST", PREDICT, BODY, Content_Encoding="br")[0] == 415
    # A small body that unpacks to a large one.
    assert ask("POST", PREDICT, gzip.compress(b" " * 10_000_000), Content_Encoding="gzip")[0] == 413


def test_bodies_that_are_too_large(ask):
    assert ask("POST", PREDICT, b" " * 6000)[0] == 413
    pieces = iter([b" " * 3000, b" " * 3000])
    assert ask("POST", PREDICT, pieces)[0] == 413


def test_slow_and_half_closed_connections(ask, half, listen):
    impatient = listen(RestApplication(half, RestOptions(timeout=0.2)))
    head = b"POST " + PREDICT.encode() + b" HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"
    with socket.create_connection(("127.0.0.1", impatient), timeout=60) as slow:
        slow.sendall(head)
        assert slow.recv(100).startswith(b"HTTP/1.1 408")
    with socket.create_connection(("127.0.0.1", ask.port), timeout=60) as gone:
        gone.sendall(head)
    with socket.create_connection(("127.0.0.1", ask.port), timeout=60) as wrong:
        wrong.sendall(b"\x16\x03\x01 no http at all\r\n\r\n")
        assert wrong.recv(100).startswith(b"HTTP/1.1 400")
    assert ask("POST", PREDICT, BODY)[0] == 200


@pytest.mark.parametrize(
    "pieces",
    [[], [b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "], [b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", b"GET / HT"]],
    ids=["nothing", "a header that never ends", "the second request"],
)
def test_heads_that_do_not_come_are_not_waited_for(half, listen, pieces):
    port = listen(RestApplication(half, RestOptions(timeout=0.3)))
    with socket.create_connection(("127.0.0.1", port), timeout=60) as slow:
        for piece in pieces:
            slow.sendall(piece)
        found = b"".join(iter(lambda: slow.recv(4096), b""))
    assert found.count(b"HTTP/1.1 200") == len(pieces[1:])


def test_heads_that_are_too_long_end_the_connection(ask):
    lines = (b"X-Long: " + b"a" * 10_000 + b"\r\n") * 1000
    with socket.create_connection(("127.0.0.1", ask.port), timeout=60) as opened:
        opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n")
        with pytest.raises(ConnectionError):
            opened.sendall(lines)
    status, _, _ = ask("GET", "/healthz", None, X_Long="a" * 10_000)
    assert status == 200


def test_a_client_that_leaves_before_its_answer(ask):
    body = BODY.encode()
    head = f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", ask.port), timeout=60) as gone:
            gone.sendall(head + body)
    # One that has said all it will still listens.
    with socket.create_connection(("127.0.0.1", ask.port), timeout=60) as half_closed:
        half_closed.sendall(head + body)
        half_closed.shutdown(socket.SHUT_WR)
        found = b"".join(iter(lambda: half_closed.recv(4096), b""))
    assert found.startswith(b"HTTP/1.1 200")
    assert ask("POST", PREDICT, BODY)[0] == 200


def test_requests_one_behind_the_other(ask):
    body = BODY.encode()
    request = f"POST {PREDICT} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    last = request.replace(b"Host", b"Connection: close\r\nHost")
    with socket.create_connection(("127.0.0.1", ask.port), timeout=60) as opened:
        opened.sendall(request * 20 + last)
        found = b"".join(iter(lambda: opened.recv(65536), b""))
    assert found.count(b"HTTP/1.1 200") == found.count(b"[2.5") == 21


def test_numbers_for_prometheus(ask):
    ask("POST", PREDICT, BODY)
    ask("POST", "/v1/models/none-of-mine:predict", BODY)
    status, _, data = ask("GET", "/monitoring/prometheus/metrics")
    lines = data.decode().splitlines()
    assert status == 200
    assert ':tensorflow:serving:request_count{model_name="half",status="OK"} 1' in lines
    assert ':tensorflow:serving:request_count{model_name="",status="NOT_FOUND"} 1' in lines
    labels = 'model_name="half",API="Predict",entrypoint="REST"'
    assert f":tensorflow:serving:request_latency_count{{{labels}}} 1" in lines
    assert f':tensorflow:serving:request_latency_bucket{{{labels},le="+Inf"}} 1' in lines


def test_health_and_page(ask):
    assert ask("GET", "/healthz")[0] == 200
    assert ask("GET", "/readyz")[0] == 200
    status, headers, data = ask("GET", "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert b"http" not in data.replace(b"http-equiv", b""), "nothing is fetched from elsewhere"
    (model,) = json.loads(ask("GET", "/page.json")[2])["models"]
    assert model["versions"] == [{"version": 2, "state": "AVAILABLE", "error": ""}]
    assert model["signatures"]["product"]["inputs"] == {"matrix": {"dtype": "float32", "shape": [None, 2]}}


def test_requests_put_together(saved, start, listen):
    server = start(ModelConfig("half", str(saved)), batching=BatchingOptions(max_batch_size=16, timeout=0.001))
    port = listen(RestApplication(server))
    asked = [
        ("predict", {"instances": [2.0, 4.0]}, (200, {"predictions": [3.0, 4.0]})),
        ("predict", {"instances": ["x"]}, (400, None)),
        ("predict", {"instances": [0.0] * 17}, (400, None)),
        ("predict", {"signature_name": "total", "inputs": [1.0, 2.0]}, (200, {"outputs": 3.0})),
        ("predict", {"signature_name": "picked", "inputs": [1]}, (200, {"outputs": [20.0]})),
        ("predict", {"signature_name": "picked", "inputs": [7]}, (400, None)),
        ("predict", {"inputs": [2.0], "padding": "a" * 40_000}, (200, {"outputs": [3.0]})),
        ("regress", {"signature_name": "regress", "examples": [{"x": 2.0}]}, (200, {"results": [3.0]})),
        ("guess", {}, (400, None)),
    ]
    wrong = []

    def ask():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for method, body, (status, said) in asked * 5:
            connection.request("POST", f"/v1/models/half:{method}", json.dumps(body))
            response = connection.getresponse()
            found = json.load(response)
            if response.status != status or (said or found) != found:
                wrong.append((body, response.status, found))
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    # Nothing holds on to the model: it can go.
    assert [one.users for one in server._versions["half"].values()] == [0]


def test_an_application_of_ones_own(saved, listen):
    port = listen(headrace.serve.app(str(saved), "mine"))
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models/mine:predict", BODY.encode()) as response:
        assert json.load(response) == {"predictions": [2.5]}
    with pytest.raises(ValueError, match="model_base_path"):
        headrace.serve.app()


def test_what_a_model_offers(saved):
    done = CliRunner().invoke(command, ["serve", "--describe", str(saved)])
    assert done.exit_code == 0
    assert done.output.startswith(str(saved / "2"))
    assert "serving_default  tensorflow/serving/predict   input   x" in done.output
    assert CliRunner().invoke(command, ["serve", "--describe", str(saved / "none")]).exit_code == 1
    assert CliRunner().invoke(command, ["serve"]).exit_code == 2


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return opened.getsockname()[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_ends_gracefully(saved, tmp_path, workers):
    port = free_port()
    arguments = ["--model_base_path", saved, "--model_name", "half", "--rest_api_port", port, "--port", 0]
    arguments += ["--host", "127.0.0.1", "--workers", workers, "--log_requests"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open(tmp_path / "log", "w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "headrace", "serve", *map(str, arguments)], env=environment, stderr=log
        )
        try:
            found = None
            while found is None:
                assert process.poll() is None, (tmp_path / "log").read_text()
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}{PREDICT}", BODY.encode(), 60) as response:
                        found = json.load(response)
                except urllib.error.URLError:
                    threading.Event().wait(0.05)
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
            process.wait()
    assert found == {"predictions": [2.5]}
    text = (tmp_path / "log").read_text()
    assert "POST /v1/models/half:predict 200" in text
    assert "Traceback" not in text
