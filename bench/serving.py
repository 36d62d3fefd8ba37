"""`headrace serve` beside a minimal server of TensorFlow: requests a second and latencies over REST.

    python bench/serving.py [--seconds 60] [--connections 1,8,64] [--models iris,mlp] [--batching]

References are TensorFlow 1.15.5 and 2.21 in `.oracle/` (make oracle), with Starlette and uvicorn in folders beside them:

    .oracle/tf1/bin/python -m pip install --target .oracle/serve1 starlette uvicorn
    .oracle/tf2/bin/python -m pip install --target .oracle/serve2 starlette uvicorn

One that is not there is left out. Every answer is compared with the first one of its server, that one with Headrace's.
Servers take turns, a part of the time each, so that a busy moment of the machine meets all of them.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import numpy as np
from rich.console import Console
from rich.table import Table

BENCH = pathlib.Path(__file__).resolve().parent
ORACLE = BENCH.parent / ".oracle"
WIDTHS = {"iris": [4, 10, 10, 3], "mlp": [784, 1024, 1024, 10]}
TURNS = 3


def save(name, folder):
    """A network of fully connected layers, with fixed weights."""
    import headrace as tf

    generator = np.random.RandomState(0)
    widths = WIDTHS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        x = hidden = tf.placeholder(tf.float32, [None, widths[0]])
        for before, after in itertools.pairwise(widths):
            weights = tf.Variable((generator.randn(before, after) / before**0.5).astype(np.float32))
            hidden = tf.nn.relu(tf.matmul(hidden, weights)) if after != widths[-1] else tf.matmul(hidden, weights)
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, str(folder / "1"), {"x": x}, {"y": tf.nn.softmax(hidden)})


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return opened.getsockname()[1]


class Server:
    """A server process, and what was measured of it."""

    def __init__(self, name, command, environment, port):
        self.name, self.port = name, port
        self.process = subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
        self.latencies, self.seconds, self.wrong = {}, {}, 0

    def wait(self, body):
        until = time.monotonic() + 180
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/v1/models/model:predict", body) as response:
                    return np.array(json.load(response)["predictions"])
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        raise SystemExit(f"{self.name} did not start")

    def memory(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0

    def measure(self, connections, seconds, body, expected):
        found, wrong, spent = asyncio.run(load(self.port, connections, seconds, body, expected))
        self.latencies.setdefault(connections, []).extend(found)
        self.seconds[connections] = self.seconds.get(connections, 0.0) + spent
        self.wrong += wrong


def same(answer, expected):
    return np.allclose(json.loads(answer)["predictions"], expected, rtol=1e-5, atol=1e-6)


async def load(port, connections, seconds, body, expected):
    request = (
        f"POST /v1/models/model:predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body
    latencies, wrong = [], []
    began = time.perf_counter()

    async def one():
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        last = b""
        while time.perf_counter() < began + seconds:
            sent = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            answer = await reader.readexactly(length)
            latencies.append(time.perf_counter() - sent)
            if answer != last:
                # Compared when it changes only: the client must not be what is measured.
                if not head.startswith(b"HTTP/1.1 200") or not same(answer, expected):
                    wrong.append(answer)
                last = answer
        writer.close()

    await asyncio.gather(*(one() for _ in range(connections)))
    return latencies, len(wrong), time.perf_counter() - began


def servers(folder, batching):
    port = free_port()
    command = [sys.executable, "-m", "headrace", "serve", "--model_base_path", str(folder), "--model_name", "model"]
    command += ["--rest_api_port", str(port), "--port", "0", "--host", "127.0.0.1"]
    yield Server("Headrace", command, {}, port)
    if batching:
        port = free_port()
        parameters = folder / "batching.txt"
        parameters.write_text(
            "max_batch_size { value: 64 } batch_timeout_micros { value: 1000 } max_enqueued_batches { value: 1000 } "
            "num_batch_threads { value: 1 }"
        )
        extra = ["--enable_batching", f"--batching_parameters_file={parameters}"]
        yield Server("Headrace, batching", [*command[:-5], str(port), *command[-4:], *extra], {}, port)
    for number, title in ((1, "TensorFlow 1.15.5"), (2, "TensorFlow 2.21")):
        packages = ORACLE / f"serve{number}"
        if not packages.is_dir():
            continue
        port = free_port()
        reference = [str(ORACLE / f"tf{number}/bin/python"), str(BENCH / "serving_reference.py")]
        environment = {"PYTHONPATH": str(packages), "TF_CPP_MIN_LOG_LEVEL": "3"}
        yield Server(title, [*reference, str(folder / "1"), str(port)], environment, port)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", default="1,8,64")
    parser.add_argument("--models", default="iris,mlp")
    parser.add_argument("--batching", action="store_true")
    options = parser.parse_args()
    table = Table("model", "connections", "server", "requests/s", "p50 ms", "p99 ms", "wrong", "MiB")
    for name in options.models.split(","):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            save(name, folder)
            body = json.dumps(
                {"instances": np.random.RandomState(1).rand(1, WIDTHS[name][0]).round(4).tolist()}
            ).encode()
            running = list(servers(folder, options.batching))
            try:
                expected = [server.wait(body) for server in running]
                for server, answer in zip(running, expected):
                    server.wrong += not np.allclose(answer, expected[0], rtol=1e-5, atol=1e-6)
                for connections in map(int, options.connections.split(",")):
                    for _ in range(TURNS):
                        for server in running:
                            server.measure(connections, options.seconds / TURNS, body, expected[0])
                    for server in running:
                        times = sorted(server.latencies[connections])
                        rate = len(times) / server.seconds[connections]
                        p50, p99 = (times[int(len(times) * share)] * 1e3 for share in (0.5, 0.99))
                        row = [name, connections, server.name, f"{rate:.0f}", f"{p50:.2f}", f"{p99:.2f}"]
                        table.add_row(*map(str, [*row, server.wrong, f"{server.memory():.0f}"]))
            finally:
                for server in running:
                    server.process.terminate()
                for server in running:
                    server.process.wait()
    Console().print(table)


if __name__ == "__main__":
    main()
