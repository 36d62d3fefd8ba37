"""How estimators of `tf.contrib.learn` run: `RunConfig`, and the cluster that TF_CONFIG describes."""

from __future__ import annotations

import copy
import json
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from headrace.estimator.run_config import RunConfig as CoreRunConfig
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.sessions.cluster import ClusterSpec

_SAVE_EVERY_SECONDS = 600
# What does not change what is learned, and so is no part of a configuration's identity.
_NOT_IN_UID = (
    "tf_random_seed", "save_summary_steps", "save_checkpoints_secs", "save_checkpoints_steps", "session_config",
    "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps",
)  # fmt: skip


class Environment:
    """Where a cluster runs."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


class TaskType:
    """The jobs of a cluster."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"


class ClusterConfig:
    """The cluster that the environment variable TF_CONFIG describes, and this process's place in it.

    Args:
        master: the target of sessions; by default this task's address, "" where there is no cluster.
        evaluation_master: the target of sessions that evaluate.

    Raises:
        ValueError: if the task is none of the cluster's.

    Example:
        >>> os.environ["TF_CONFIG"] = json.dumps({
        ...     "cluster": {"ps": ["host1:2222"], "worker": ["host2:2222"]}, "task": {"type": "worker", "index": 0}})
        >>> tf.contrib.learn.RunConfig().num_ps_replicas
        1
    """

    def __init__(self, master: str | None = None, evaluation_master: str | None = None) -> None:
        environment = json.loads(os.environ.get("TF_CONFIG") or "{}")
        task = environment.get("task", {})
        self._task_type: str | None = task.get("type")
        self._task_id = ClusterConfig.get_task_id()
        self._cluster_spec = ClusterSpec(environment.get("cluster", {}))
        jobs = self._cluster_spec.as_dict()
        self._master = _address(jobs, self._task_type, self._task_id) if master is None else master
        self._num_ps_replicas = len(jobs.get(TaskType.PS, ()))
        self._num_worker_replicas = len(jobs.get(TaskType.WORKER, ())) + len(jobs.get(TaskType.MASTER, ()))
        self._environment = environment.get("environment", Environment.LOCAL)
        if self._task_type is None:
            self._is_chief = self._task_id == 0
        elif self._environment == Environment.CLOUD:
            self._is_chief = self._task_type == TaskType.MASTER
        else:
            self._is_chief = self._task_type == TaskType.WORKER and self._task_id == 0
        self._evaluation_master = evaluation_master or ""

    @property
    def cluster_spec(self) -> ClusterSpec:
        """The tasks of the cluster."""
        return self._cluster_spec

    @property
    def environment(self) -> str:
        """Where the cluster runs: one of `Environment`."""
        return self._environment

    @property
    def evaluation_master(self) -> str:
        """The target of sessions that evaluate."""
        return self._evaluation_master

    @property
    def is_chief(self) -> bool:
        """Whether this process initializes and saves."""
        return self._is_chief

    @property
    def master(self) -> str:
        """The target of sessions."""
        return self._master

    @property
    def num_ps_replicas(self) -> int:
        """How many parameter servers there are."""
        return self._num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """How many workers there are, the master included."""
        return self._num_worker_replicas

    @property
    def task_id(self) -> int:
        """The number of this process in its job."""
        return self._task_id

    @property
    def task_type(self) -> str | None:
        """The job of this process; None where there is no cluster."""
        return self._task_type

    @staticmethod
    def get_task_id() -> int:
        """The number of this process in its job, as TF_CONFIG says; 0 if it does not."""
        task = json.loads(os.environ.get("TF_CONFIG") or "{}").get("task", {})
        return int(task.get("index") or 0)


def _address(jobs: Mapping[str, Sequence[str]], task_type: str | None, task_id: int) -> str:
    """The target of this task's sessions."""
    if not jobs:
        return ""
    if len(jobs) == 1 and all(len(addresses) == 1 for addresses in jobs.values()):
        # A cluster of one task needs no server.
        return ""
    if task_type is None:
        return ""
    where = (
        f" in the cluster_spec:\n{ClusterSpec(dict(jobs))}\n\n"
        "Note that these values may be coming from the TF_CONFIG environment variable."
    )
    if task_type not in jobs:
        raise ValueError(f"{task_type} is not a valid task_type{where}")
    addresses = jobs[task_type]
    if not 0 <= task_id < len(addresses):
        raise ValueError(f"{task_id} is not a valid task_id for task_type {task_type}{where}")
    return f"grpc://{addresses[task_id]}"


class RunConfig(ClusterConfig, CoreRunConfig):
    """How an estimator of `tf.contrib.learn` runs. It serves estimators of `tf.estimator` too.

    Args:
        master: the target of sessions.
        num_cores: how many threads run operations; 0 for as many as the machine has cores.
        log_device_placement: whether the devices of operations are logged.
        gpu_memory_fraction: which part of the memory of a GPU is used.
        tf_random_seed: the seed of the graphs.
        save_summary_steps: after how many steps summaries are written.
        save_checkpoints_secs: after how many seconds checkpoints are saved; 600 by default.
        save_checkpoints_steps: after how many steps they are. Not together with the former.
        keep_checkpoint_max: how many checkpoints are kept; None or 0 for all.
        keep_checkpoint_every_n_hours: one of so many hours is kept besides.
        log_step_count_steps: after how many steps their rate and the loss are logged.
        protocol: "grpc", or None.
        evaluation_master: the target of sessions that evaluate.
        model_dir: the folder of checkpoints and summaries.
        session_config: the ConfigProto of sessions, in the place of one made of the arguments above.
        session_creation_timeout_secs: how long a worker waits for the chief.

    Raises:
        ValueError: if the task in TF_CONFIG is none of its cluster, or both ways to say when to save are given.

    Example:
        >>> config = tf.contrib.learn.RunConfig(model_dir="model", save_checkpoints_steps=500, tf_random_seed=1)
    """

    _USE_DEFAULT = 0
    # Nothing of these can be told to it.
    _experimental_distribute: Any = None
    _service: Any = None
    _global_id_in_cluster: int | None = None

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_secs: int | None = _USE_DEFAULT,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: protos.ConfigProto | None = None,
        session_creation_timeout_secs: int = 7200,
    ) -> None:
        ClusterConfig.__init__(self, master, evaluation_master)
        # In the order in which 1.15 sets and estimators log them.
        self._train_distribute = self._eval_distribute = self._experimental_max_worker_delay_secs = None
        self._device_fn = None
        self._tf_config = protos.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=protos.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )
        if save_checkpoints_secs == RunConfig._USE_DEFAULT and save_checkpoints_secs is not None:
            save_checkpoints_secs = _SAVE_EVERY_SECONDS if save_checkpoints_steps is None else None
        self._set(
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_config=session_config,
            save_checkpoints_steps=save_checkpoints_steps,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            model_dir=None if model_dir is None else as_path(model_dir),
            session_creation_timeout_secs=session_creation_timeout_secs,
        )

    @property
    def tf_config(self) -> protos.ConfigProto:
        """The ConfigProto made of the arguments about cores, devices and memory."""
        return self._tf_config

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values, as of `tf.estimator.RunConfig`."""
        changed = super().replace(**kwargs)
        assert isinstance(changed, RunConfig)
        return changed

    def uid(self, whitelist: Sequence[str] | None = None) -> str:
        """A text that is the same for configurations that differ only in what is named.

        Args:
            whitelist: names of attributes to leave out; by default those that do not change what is learned.
        """
        left_out = {f"_{name}" for name in (_NOT_IN_UID if whitelist is None else whitelist)}
        values = {name: value for name, value in vars(copy.deepcopy(self)).items() if name not in left_out}
        values["_cluster_spec"] = OrderedDict(sorted(self._cluster_spec.as_dict().items()))
        return ", ".join(f"{name}={value!r}" for name, value in sorted(values.items()))
