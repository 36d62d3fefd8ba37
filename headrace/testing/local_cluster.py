"""A cluster whose servers are all in this process, for tests."""

from __future__ import annotations

from headrace.cluster.launching import free_addresses
from headrace.messages import protos
from headrace.sessions.server import Server


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: protos.ConfigProto | None = None,
    ps_config: protos.ConfigProto | None = None,
) -> tuple[list[Server], list[Server]]:
    """Starts the servers of a cluster in this process, at free ports.

    Args:
        num_workers, num_ps: how many tasks the jobs "worker" and "ps" have.
        protocol: "grpc".
        worker_config, ps_config: settings for sessions of each job that have none.

    Returns:
        the servers of the workers, and those of the parameter servers.

    Example:
        >>> workers, servers = tf.test.create_local_cluster(num_workers=1, num_ps=1)
        >>> with tf.device("/job:ps/task:0"):
        ...     v = tf.Variable(1.0)
        >>> with tf.Session(workers[0].target) as sess:
        ...     sess.run(v.initializer)
        ...     sess.run(v)
        1.0
    """
    addresses = free_addresses(num_workers + num_ps)
    jobs = {"worker": addresses[:num_workers], "ps": addresses[num_workers:]}
    cluster = {job: listed for job, listed in jobs.items() if listed}

    def started(job: str, count: int, config: protos.ConfigProto | None) -> list[Server]:
        return [
            Server(cluster, job_name=job, task_index=index, protocol=protocol, config=config) for index in range(count)
        ]

    return started("worker", num_workers, worker_config), started("ps", num_ps, ps_config)
