"""The resolver of processes that `torchrun` has started.

`torchrun` tells each process its rank, and where a store of the launcher listens: RANK, WORLD_SIZE, MASTER_ADDR and
MASTER_PORT. The addresses at which tasks are to listen are agreed on in that store.
"""

from __future__ import annotations

import datetime
import json
import os
import socket

import torch.distributed as dist

from headrace.distribute.cluster_resolvers.simple import SimpleClusterResolver
from headrace.sessions.cluster import ClusterSpec

_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_TIMEOUT = datetime.timedelta(minutes=10)
_WORKER = "worker"


def started_by_torchrun() -> bool:
    """Whether `torchrun`, or what sets the same variables, has started this process."""
    return all(name in os.environ for name in _VARIABLES)


class TorchrunClusterResolver(SimpleClusterResolver):
    """The processes that `torchrun` has started, as the workers of a cluster: the rank is the number of the task.

    Each process takes a free port and tells the others by the launcher's store, so all of them have to ask. TF_CONFIG is
    set to what they agree on, for whatever else of the program reads it.

    Args:
        rpc_layer: how tasks are reached.

    Raises:
        RuntimeError: if `torchrun` has not started this process.
    """

    def __init__(self, rpc_layer: str | None = "grpc") -> None:
        if not started_by_torchrun():
            raise RuntimeError(f"This process was not started by torchrun, which sets {', '.join(_VARIABLES)}.")
        rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        workers = _addresses(rank, size)
        super().__init__(
            ClusterSpec({_WORKER: workers}),
            master=workers[rank],
            task_type=_WORKER,
            task_id=rank,
            rpc_layer=rpc_layer,
        )
        os.environ["TF_CONFIG"] = json.dumps(
            {"cluster": {_WORKER: workers}, "task": {"type": _WORKER, "index": rank}, "rpc_layer": rpc_layer}
        )


def _addresses(rank: int, size: int) -> list[str]:
    """The addresses of all processes, by rank."""
    host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    # The agent of torchrun keeps the store; without one, the first process does.
    by_agent = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    store = dist.TCPStore(
        host, port, is_master=not by_agent and rank == 0, timeout=_TIMEOUT, wait_for_workers=False, multi_tenant=True
    )
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    shared = dist.PrefixStore(f"headrace/addresses/{attempt}", store)
    own = _own_host(host)
    with socket.socket() as probe:
        probe.bind((own, 0))
        shared.set(str(rank), f"{own}:{probe.getsockname()[1]}")
        # All are known before any port is given back, lest two processes of a machine get the same.
        found = [shared.get(str(each)).decode() for each in range(size)]
        if not by_agent:
            shared.add("read", 1)
            _wait_for_readers(shared, rank, size)
    return found


def _wait_for_readers(shared: dist.Store, rank: int, size: int) -> None:
    """Keeps the first process, whose store ends with this call, until all have read."""
    if shared.add("read", 0) == size:
        shared.set("done", "")
    if rank == 0:
        shared.wait(["done"], _TIMEOUT)


def _own_host(master: str) -> str:
    """The address of this machine by which the one of the store sees it."""
    family, kind, protocol, _, address = socket.getaddrinfo(master, 1, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        # Nothing is sent: the system says from which address it would be.
        probe.connect(address)
        host: str = probe.getsockname()[0]
    return host
