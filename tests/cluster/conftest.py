"""Clusters whose servers are all of this process, and tasks that are processes of their own."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cluster import task
from cluster.processes import TaskProcess

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
    """Starts servers as processes, and ends them with the test."""
    started = []

    def start(cluster: dict[str, list[str]], job: str, index: int = 0, **variables: str) -> TaskProcess:
        process = TaskProcess(task.serve, cluster, job, index, variables)
        started.append(process)
        assert process.said() == "listening"
        return process

    yield start
    for process in started:
        process.close()


@pytest.fixture
def start_worker():
    """Starts workers that train as processes, and ends them with the test."""
    started = []

    def start(
        cluster: dict[str, list[str]], index: int, *arguments: object, train: Callable[..., None] = task.train
    ) -> TaskProcess:
        process = TaskProcess(train, cluster, "worker", index, {}, *arguments)
        started.append(process)
        return process

    yield start
    for process in started:
        process.close()
