"""Clusters whose servers are all of this process, and tasks that are processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import headrace as tf
from headrace.cluster.launching import free_addresses


class Cluster:
    """Servers of two jobs in this process.

    Args:
        servers: how many parameter servers.
        workers: how many workers.
    """

    def __init__(self, servers: int = 2, workers: int = 2) -> None:
        addresses = free_addresses(servers + workers)
        self.spec = tf.train.ClusterSpec({"ps": addresses[:servers], "worker": addresses[servers:]})
        self.servers = {
            (job, index): tf.train.Server(self.spec, job, index)
            for job in self.spec.jobs
            for index in self.spec.task_indices(job)
        }

    def target(self, job: str = "worker", index: int = 0) -> str:
        """The target of a task, whose sessions are this process's own."""
        return self.servers[job, index].target

    def remote_target(self, job: str = "worker", index: int = 0) -> str:
        """The target by another name, so that sessions come by the network."""
        return self.target(job, index).replace("localhost", "127.0.0.1")


@pytest.fixture(scope="module")
def cluster():
    return Cluster()


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def start_task():
    """Starts a task as a process, and ends it with the test."""
    started = []

    def start(cluster: dict[str, list[str]], job: str, index: int = 0, **variables: str) -> subprocess.Popen:
        command = [sys.executable, str(Path(__file__).with_name("task.py")), json.dumps(cluster), job, str(index)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        started.append(process)
        assert process.stdout.readline() == "listening\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
