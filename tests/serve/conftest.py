"""Models of a known formula: `half` answers x / 2 + number, where number is the version's own."""

from __future__ import annotations

import asyncio
import json
import socket
import threading

import pytest
import uvicorn

import headrace as tf
from headrace.serve.http_protocol import http_protocol
from headrace.serve.model_configs import ModelConfig
from headrace.serve.model_server import ModelServer, ServerOptions
from headrace.serve.rest import answer


def save_half(folder, number):
    """Signatures of each kind: y = x / 2 + number, of arrays, matrices, strings and examples."""
    with tf.Graph().as_default(), tf.Session() as sess:
        half, offset = tf.Variable(0.5, name="half"), tf.Variable(float(number), name="offset")
        x = tf.placeholder(tf.float32, [None], name="x")
        matrix = tf.placeholder(tf.float32, [None, 2], name="matrix")
        whole = tf.placeholder(tf.int64, [None], name="whole")
        text = tf.placeholder(tf.string, [None], name="text")
        examples = tf.placeholder(tf.string, [None], name="examples")
        parsed = tf.parse_example(examples, {"x": tf.FixedLenFeature([1], tf.float32)})["x"]
        score = parsed * half + offset
        labels = tf.tile([["no", "yes"]], [tf.shape(examples)[0], 1])
        sess.run(tf.global_variables_initializer())
        signatures = {
            "serving_default": _signature({"x": x}, {"y": x * half + offset}),
            "product": _signature(
                {"matrix": matrix}, {"product": tf.matmul(matrix, [[1.0, 2.0, 3.0], [0.1, 0.2, 0.3]])}
            ),
            "several": _signature(
                {"whole": whole, "text": text},
                {"next": whole + 1, "text": tf.identity(text), "text_bytes": tf.identity(text)},
            ),
            "total": _signature({"x": x}, {"sum": tf.reduce_sum(x)}),
            "picked": _signature({"whole": whole}, {"picked": tf.gather([10.0, 20.0], whole)}),
            "regress": _signature({"inputs": examples}, {"outputs": score}, "regress"),
            "classify": _signature(
                {"inputs": examples}, {"classes": labels, "scores": tf.concat([-score, score], 1)}, "classify"
            ),
        }
        builder = tf.saved_model.builder.SavedModelBuilder(str(folder))
        builder.add_meta_graph_and_variables(sess, ["serve"], signature_def_map=signatures)
        builder.save()


def _signature(inputs, outputs, method="predict"):
    info = tf.saved_model.utils.build_tensor_info
    return tf.saved_model.signature_def_utils.build_signature_def(
        {key: info(tensor) for key, tensor in inputs.items()},
        {key: info(tensor) for key, tensor in outputs.items()},
        f"tensorflow/serving/{method}",
    )


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """Two versions of `half`, not to be changed."""
    base = tmp_path_factory.mktemp("models") / "half"
    for version in (1, 2):
        save_half(base / str(version), version)
    return base


@pytest.fixture
def start():
    """Starts servers that end with the test."""
    servers = []

    def started(*models, **options):
        options.setdefault("poll_seconds", 0)
        server = ModelServer(models, ServerOptions(**options))
        servers.append(server)
        server.start()
        return server

    yield started
    for server in servers:
        server.close()


@pytest.fixture
def half(saved, start):
    """A server of the newest version of `half`."""
    return start(ModelConfig("half", str(saved)))


class Rest:
    """Asks a server as clients of REST do."""

    def __init__(self, server):
        self.server = server

    def post(self, body, path="/v1/models/half:predict"):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        found = answer(self.server, "POST", path, data)
        return found.status, json.loads(found.text)

    def get(self, path):
        found = answer(self.server, "GET", path, b"")
        return found.status, json.loads(found.text)


@pytest.fixture
def rest(half):
    return Rest(half)


@pytest.fixture
def client():
    """What asks a server over REST."""
    return Rest


class _Quiet(uvicorn.Server):
    def install_signal_handlers(self):
        """Signals are the test runner's."""


@pytest.fixture
def listen():
    """Starts applications on ports of their own."""
    running = []

    def started(application):
        protocol = http_protocol(application.options.timeout)
        config = uvicorn.Config(application, log_level="error", lifespan="on", http=protocol)
        server = _Quiet(config)
        opened = socket.create_server(("127.0.0.1", 0))
        up = threading.Event()
        original = server.startup

        async def startup(sockets=None):
            await original(sockets)
            up.set()

        server.startup = startup
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([opened])))
        thread.start()
        running.append((server, thread, opened))
        assert up.wait(60)
        return opened.getsockname()[1]

    yield started
    for server, thread, opened in running:
        server.should_exit = True
        thread.join()
        opened.close()
