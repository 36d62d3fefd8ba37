"""`headrace serve` over many requests and reloads: its memory, and whether any request fails while versions change.

    python bench/serving_soak.py [--seconds 30] [--reloads 50]

Needs wrk (Debian's package of that name). The load goes on while a new version comes every two seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from serving import BENCH, Server, sample, save


def load(server, seconds, body):
    """Load in the background, from 16 connections."""
    command = [
        "wrk",
        "-t1",
        "-c16",
        f"-d{seconds}s",
        "--timeout",
        "30s",
        "-s",
        str(BENCH / "serving.lua"),
        server.address,
    ]
    return subprocess.Popen(command, env={**os.environ, "BODY": str(body)}, stdout=subprocess.PIPE)


def finished(running):
    """How many requests there were, and how many failed."""
    found = json.loads(running.communicate()[0].partition(b"RESULT ")[2])
    return found["requests"], found["failed"] + len(found["answers"]) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--reloads", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        base, body = pathlib.Path(scratch, "model"), pathlib.Path(scratch, "body.json")
        save("iris", base)
        body.write_text(json.dumps(sample("iris")[1]))
        command = [sys.executable, "-m", "headrace", "serve", "--model_base_path", base, "--model_name", "model"]
        server = Server("Headrace", "rest", [*command, "--host=127.0.0.1", "--rest_api_port=PORT", "--port=0"])
        try:
            server.wait({"rest": body})
            finished(load(server, 3, body))
            print(f"after the first requests: {server.memory():.1f} MiB")
            requests, failed = finished(load(server, options.seconds, body))
            print(f"after {requests} requests, {failed} failed: {server.memory():.1f} MiB")
            running = load(server, 2 * options.reloads + 5, body)
            for version in range(2, options.reloads + 2):
                # Under another name until it is whole: then it is never seen half written.
                shutil.copytree(base / str(version - 1), pathlib.Path(scratch, "next"))
                pathlib.Path(scratch, "next").rename(base / str(version))
                if version > 2:
                    shutil.rmtree(base / str(version - 2))
                time.sleep(2)
            requests, failed = finished(running)
            print(
                f"after {options.reloads} reloads and {requests} requests, {failed} failed: {server.memory():.1f} MiB"
            )
            if failed:
                raise SystemExit(1)
        finally:
            server.process.terminate()
            server.process.wait()


if __name__ == "__main__":
    main()
