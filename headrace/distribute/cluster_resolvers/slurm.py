"""The resolver of jobs under Slurm."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING

from headrace.distribute.cluster_resolvers.base import ClusterResolver, format_master_url
from headrace.sessions.cluster import ClusterSpec

if TYPE_CHECKING:
    from headrace.messages import protos


class SlurmClusterResolver(ClusterResolver):
    """The tasks that `srun` has started, spread over the nodes of the job in their order.

    Jobs take the nodes in the order of their names. Tasks of one node listen at ports one after the other. Where
    OpenMPI's `mpirun` has started the tasks on Slurm's nodes, their numbers are the ones that it gives.

    Args:
        jobs: how many tasks each job has.
        port_base: the port of the first task of each node.
        gpus_per_node: how many GPUs a node has.
        gpus_per_task: how many of them each task gets.
        tasks_per_node: how many tasks run on each node; what SLURM_NTASKS_PER_NODE says by default.
        auto_set_gpu: whether this process is given its GPUs, by CUDA_VISIBLE_DEVICES.
        rpc_layer: how tasks are reached.

    Raises:
        KeyError: if neither Slurm nor `mpirun` has started this process.
        RuntimeError: if the numbers of tasks, or of GPUs, do not fit.
    """

    def __init__(
        self,
        jobs: Mapping[str, int],
        port_base: int = 8888,
        gpus_per_node: int = 1,
        gpus_per_task: int = 1,
        tasks_per_node: int | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str | None = "grpc",
    ) -> None:
        by_mpi = "OMPI_COMM_WORLD_RANK" in os.environ
        self._rank = int(os.environ["OMPI_COMM_WORLD_RANK" if by_mpi else "SLURM_PROCID"])
        count = int(os.environ["OMPI_COMM_WORLD_SIZE" if by_mpi else "SLURM_NTASKS"])
        if tasks_per_node is None:
            if "SLURM_NTASKS_PER_NODE" not in os.environ:
                raise RuntimeError("Neither `tasks_per_node` nor SLURM_NTASKS_PER_NODE is set.")
            tasks_per_node = int(os.environ["SLURM_NTASKS_PER_NODE"])
        # In the order of their names, so that processes whose programs list them differently agree.
        self._jobs, self._port_base = dict(sorted(jobs.items())), port_base
        self._tasks_per_node, self._gpus_per_task = tasks_per_node, gpus_per_task
        self._gpus_per_node, self._auto_set_gpu = gpus_per_node, auto_set_gpu
        self.task_type: str | None = None
        self.task_id: int | None = None
        self.rpc_layer = rpc_layer
        self._visible_gpus = ""
        self._cluster: ClusterSpec | None = None
        if gpus_per_task * tasks_per_node > gpus_per_node:
            raise RuntimeError(
                f"Requested more GPUs per node than available: {tasks_per_node} tasks with {gpus_per_task} each, and "
                f"{gpus_per_node} GPUs."
            )
        if sum(self._jobs.values()) != count:
            raise RuntimeError(
                f"Requested more tasks than assigned tasks, or fewer: {sum(self._jobs.values())} and {count}."
            )

    def _resolve_hostnames(self) -> list[str]:
        """The names of the job's nodes, which Slurm's own command spells out."""
        told = subprocess.run(["scontrol", "show", "hostname"], capture_output=True, check=True, text=True)
        return told.stdout.split()

    def cluster_spec(self) -> ClusterSpec:
        """The `ClusterSpec` of the job; gives this process its GPUs where that was asked for.

        Raises:
            IndexError: if the nodes have no place for a task, or none of the tasks is this process.
        """
        places = [
            (f"{host}:{self._port_base + slot}", slot)
            for host in self._resolve_hostnames()
            for slot in range(self._tasks_per_node)
        ]
        count = sum(self._jobs.values())
        if count > len(places) or (self._auto_set_gpu and self._rank >= count):
            raise IndexError(
                f"Process {self._rank} of {count} tasks has no place: the nodes have {len(places)}, "
                f"{self._tasks_per_node} each."
            )
        cluster: dict[str, list[str]] = {}
        rank = 0
        for job, count in self._jobs.items():
            cluster[job] = []
            for index in range(count):
                address, slot = places[rank]
                cluster[job].append(address)
                if rank == self._rank:
                    self.task_type, self.task_id = job, index
                    first = slot * self._gpus_per_task
                    self._visible_gpus = ",".join(str(first + i) for i in range(self._gpus_per_task))
                rank += 1
        if self._auto_set_gpu:
            os.environ["CUDA_VISIBLE_DEVICES"] = self._visible_gpus
        self._cluster = ClusterSpec(cluster)
        return self._cluster

    def get_task_info(self) -> tuple[str | None, int | None]:
        """The job of this process and its number there; known once `cluster_spec` has been called."""
        return self.task_type, self.task_id

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The target for sessions: of a task if one is named, else that of this process."""
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        if kind is None or number is None:
            return ""
        cluster = self._cluster or self.cluster_spec()
        return format_master_url(cluster.task_address(kind, number), rpc_layer or self.rpc_layer)

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: protos.ConfigProto | None = None,
    ) -> Mapping[str, int]:
        """How many GPUs a node has, whatever its tasks are."""
        return {"GPU": self._gpus_per_node}
