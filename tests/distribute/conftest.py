"""Workers that are processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.cluster.launching import free_addresses

WORKER = Path(__file__).with_name("worker.py")


class Process:
    """A worker.

    Args:
        arguments: those of the script.
        variables: its environment, besides that of the tests.
    """

    def __init__(self, *arguments: str, **variables: str) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "HEADRACE_COLLECTIVE_TIMEOUT_SECONDS": "60", **variables}
        self.popen = subprocess.Popen(
            [sys.executable, str(WORKER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def heard(self) -> dict:
        """The next line it says."""
        return json.loads(self.popen.stdout.readline())

    def go_on(self) -> None:
        """Lets it begin another round."""
        self.popen.stdin.write("\n")
        self.popen.stdin.flush()


@pytest.fixture
def start():
    """Starts workers, and ends them with the test."""
    started = []

    def start(*arguments: str, **variables: str) -> Process:
        started.append(Process(*arguments, **variables))
        return started[-1]

    yield start
    for process in started:
        process.popen.kill()
        process.popen.communicate()


@pytest.fixture
def tasks():
    """The TF_CONFIG of each of two workers."""
    cluster = {"worker": free_addresses(2)}
    return [json.dumps({"cluster": cluster, "task": {"type": "worker", "index": i}}) for i in range(2)]
