"""`headrace serve` beside minimal servers of TensorFlow: requests a second, latencies and processor time a request.

    python bench/serving.py [--seconds 60] [--connections 1,8,64] [--models iris,mlp,inception] [--interfaces rest,grpc]

The load over REST comes from wrk (Debian's package of that name), over gRPC from `serving_grpc_client.py`. References are
TensorFlow 1.15.5 and 2.21 in `.oracle/` (make oracle), with what serves in folders beside them:

    .oracle/tf1/bin/python -m pip install --target .oracle/serve1 starlette uvicorn
    .oracle/tf1/bin/python -m pip install --target .oracle/serve1 --no-deps tensorflow-serving-api==1.15.0
    .oracle/tf2/bin/python -m pip install --target .oracle/serve2 starlette uvicorn
    .oracle/tf2/bin/python -m pip install --target .oracle/serve2 --no-deps tensorflow-serving-api

One that is not there is left out. Every answer of every server is compared with the first one of Headrace.
Servers take turns, a part of the time each, so that a busy moment of the machine meets all of them; latencies are the
medians of the turns.
"""

from __future__ import annotations

import argparse
import base64
import io
import itertools
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import grpc
import numpy as np
from PIL import Image
from rich.console import Console
from rich.table import Table

from headrace.messages.tensor_proto import array_of
from headrace.serve import messages
from headrace.serve.tensor_messages import fill_message

BENCH = pathlib.Path(__file__).resolve().parent
ORACLE = BENCH.parent / ".oracle"
# In the wide one nearly all the time is the model's own: of one row its 79 MB of weights are read from memory.
WIDTHS = {"iris": [4, 10, 10, 3], "mlp": [784, 1024, 1024, 10], "wide": [784, 4096, 4096, 10]}
TURNS = 3
TICKS = os.sysconf("SC_CLK_TCK")


# ---- models ----


def save(name, folder):
    """Saves a model as version 1."""
    import headrace as tf

    with tf.Graph().as_default(), tf.Session() as session:
        inputs, outputs = inception(tf) if name == "inception" else layers(tf, WIDTHS[name])
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(folder / "1"), inputs, outputs)


def layers(tf, widths):
    """A network of fully connected layers, with fixed weights."""
    generator = np.random.RandomState(0)
    x = hidden = tf.placeholder(tf.float32, [None, widths[0]])
    for before, after in itertools.pairwise(widths):
        weights = tf.Variable((generator.randn(before, after) / before**0.5).astype(np.float32))
        hidden = tf.nn.relu(tf.matmul(hidden, weights)) if after != widths[-1] else tf.matmul(hidden, weights)
    return {"x": x}, {"y": tf.nn.softmax(hidden)}


def inception(tf):
    """Inception v1 of slim, on JPEG files."""
    slim = tf.contrib.slim
    tf.set_random_seed(0)
    files = tf.placeholder(tf.string, [None])

    def decoded(file):
        image = tf.image.convert_image_dtype(tf.image.decode_jpeg(file, 3), tf.float32)
        return tf.image.resize_images(image, [224, 224]) * 2.0 - 1.0

    images = tf.reshape(tf.map_fn(decoded, files, tf.float32), [-1, 224, 224, 3])
    with slim.arg_scope(slim.nets.inception.inception_v1_arg_scope()):
        _, end_points = slim.nets.inception.inception_v1(images, 1001, is_training=False)
    return {"x": files}, {"y": end_points["Predictions"]}


def sample(name):
    """One row of input, and the body of the request that has it."""
    state = np.random.RandomState(1)
    if name == "inception":
        written = io.BytesIO()
        small = Image.fromarray(state.randint(0, 256, [16, 16, 3]).astype(np.uint8))
        small.resize((256, 256), Image.Resampling.BICUBIC).save(written, "jpeg")
        rows = np.array([written.getvalue()], object)
        return rows, {"instances": [{"b64": base64.b64encode(written.getvalue()).decode()}]}
    rows = state.rand(1, WIDTHS[name][0]).round(4).astype(np.float32)
    return rows, {"instances": rows.astype(float).round(4).tolist()}


# ---- servers ----


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return opened.getsockname()[1]


class Server:
    """A server process, and what was measured of it."""

    def __init__(self, name, interface, command, environment=None):
        self.name, self.interface, self.port = name, interface, free_port()
        command = [str(part).replace("PORT", str(self.port)) for part in command]
        environment = {**os.environ, **(environment or {})}
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        self.turns = {}

    def wait(self, requests):
        """Waits until the server answers; gives its answer."""
        until = time.monotonic() + 180
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if self.interface == "grpc":
                    with grpc.insecure_channel(f"127.0.0.1:{self.port}") as channel:
                        return of_message(channel.unary_unary(PREDICT)(requests["grpc"].read_bytes(), timeout=60))
                with urllib.request.urlopen(self.address, requests["rest"].read_bytes()) as response:
                    return of_json(response.read())
            except (urllib.error.URLError, ConnectionError, grpc.RpcError):
                time.sleep(0.2)
        raise SystemExit(f"{self.name} did not start")

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/v1/models/model:predict"

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def processor_time(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def measure(self, connections, seconds, requests, expected):
        """Adds a turn of load."""
        before = self.processor_time()
        if self.interface == "grpc":
            command = [sys.executable, BENCH / "serving_grpc_client.py", self.port, connections, seconds]
            said = subprocess.run([*map(str, command), str(requests["grpc"])], check=True, capture_output=True).stdout
            found = json.loads(said)
            answers = [of_message(base64.b64decode(answer)) for answer in found["answers"]]
        else:
            command = ["wrk", "-t1", f"-c{connections}", f"-d{max(round(seconds), 1)}s", "--timeout", "30s", "-s"]
            said = subprocess.run(
                [*command, str(BENCH / "serving.lua"), self.address],
                env={**os.environ, "BODY": str(requests["rest"])},
                check=True,
                capture_output=True,
            ).stdout
            found = json.loads(said.partition(b"RESULT ")[2])
            answers = [of_json(answer) for answer in found["answers"]]
        found["processor"] = self.processor_time() - before
        found["wrong"] = sum(not np.allclose(answer, expected, rtol=1e-5, atol=1e-6) for answer in answers)
        self.turns.setdefault(connections, []).append(found)

    def row(self, connections):
        """The figures of a table's row."""
        turns = self.turns[connections]
        requests = sum(turn["requests"] for turn in turns)
        rate = requests / sum(turn["seconds"] for turn in turns)
        p50, p99 = (statistics.median(turn[key] for turn in turns) * 1e3 for key in ("p50", "p99"))
        processor = sum(turn["processor"] for turn in turns) / max(requests, 1) * 1e6
        wrong = sum(turn["wrong"] + turn["failed"] for turn in turns)
        return [f"{rate:.0f}", f"{p50:.2f}", f"{p99:.2f}", f"{processor:.0f}", str(wrong), f"{self.memory():.0f}"]


PREDICT = "/tensorflow.serving.PredictionService/Predict"


def of_json(text):
    return np.array(json.loads(text)["predictions"])


def of_message(data):
    return array_of(messages.PredictResponse.FromString(data).outputs["y"])


def servers(interface, folder, batching):
    command = [sys.executable, "-m", "headrace", "serve", "--model_base_path", folder, "--model_name", "model"]
    command += ["--host", "127.0.0.1"]
    command += ["--rest_api_port=PORT", "--port=0"] if interface == "rest" else ["--port=PORT"]
    yield Server("Headrace", interface, command)
    if batching:
        parameters = folder / "batching.txt"
        parameters.write_text(
            "max_batch_size { value: 64 } batch_timeout_micros { value: 5000 } max_enqueued_batches { value: 1000 } "
            "num_batch_threads { value: 1 }"
        )
        more = ["--enable_batching", f"--batching_parameters_file={parameters}"]
        yield Server("Headrace, batching", interface, [*command, *more])
    for number, title in ((1, "TensorFlow 1.15.5"), (2, "TensorFlow 2.21")):
        packages = ORACLE / f"serve{number}"
        if packages.is_dir():
            program = [ORACLE / f"tf{number}/bin/python", BENCH / "serving_reference.py"]
            environment = {"PYTHONPATH": str(packages), "TF_CPP_MIN_LOG_LEVEL": "3"}
            yield Server(title, interface, [*program, interface, folder / "1", "PORT"], environment)


# ---- the measurement ----


def compare(name, interface, options, table):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        save(name, folder)
        rows, body = sample(name)
        request = messages.PredictRequest()
        request.model_spec.name = "model"
        fill_message(request.inputs["x"], rows)
        requests = {"rest": folder / "body.json", "grpc": folder / "request"}
        requests["rest"].write_text(json.dumps(body))
        requests["grpc"].write_bytes(request.SerializeToString())
        running = list(servers(interface, folder, options.batching))
        try:
            answers = [server.wait(requests) for server in running]
            for server, answer in zip(running, answers):
                if not np.allclose(answer, answers[0], rtol=1e-5, atol=1e-6):
                    raise SystemExit(f"{server.name} answers {answer}, not {answers[0]}")
            for connections in map(int, options.connections.split(",")):
                for _ in range(TURNS):
                    for server in running:
                        server.measure(connections, options.seconds / TURNS, requests, answers[0])
                for server in running:
                    table.add_row(name, interface, str(connections), server.name, *server.row(connections))
        finally:
            for server in running:
                server.process.terminate()
            for server in running:
                server.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", default="1,8,64")
    parser.add_argument("--models", default="iris,mlp,inception")
    parser.add_argument("--interfaces", default="rest,grpc")
    parser.add_argument("--batching", action="store_true")
    options = parser.parse_args()
    if "rest" in options.interfaces and shutil.which("wrk") is None:
        raise SystemExit("wrk is not installed: apt-get install wrk, or --interfaces grpc")
    columns = ("model", "over", "connections", "server", "requests/s", "p50 ms", "p99 ms", "µs of processor a request")
    table = Table(*columns, "wrong", "MiB")
    for name, interface in itertools.product(options.models.split(","), options.interfaces.split(",")):
        compare(name, interface, options, table)
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
