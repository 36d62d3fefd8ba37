"""How an estimator runs: `RunConfig`, and what the environment says of its cluster."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.distribute.coordinator import CoordinatorMode
from headrace.distribute.multi_worker_util import normalize_cluster_spec
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.messages.protos import RewriterConfig
from headrace.sessions.cluster import ClusterSpec
from headrace.util import tf_logging
from headrace.util.inspection import fn_args

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.distribute.coordinator_worker import CoordinatedWorker

_USE_DEFAULT = object()
_SAVE_EVERY_SECONDS = 600


class TaskType:
    """The jobs of a cluster."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


_ALLOWED = (
    "model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs",
    "session_config", "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps", "train_distribute",
    "device_fn", "protocol", "eval_distribute", "experimental_distribute", "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)  # fmt: skip

_NOT_NEGATIVE = (
    "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs", "keep_checkpoint_max",
)  # fmt: skip
_POSITIVE = ("keep_checkpoint_every_n_hours", "log_step_count_steps", "session_creation_timeout_secs")


def _check(key: str, value: Any) -> None:
    """Raises ValueError for a value that a setting cannot have."""
    if value is None:
        return
    if key == "model_dir" and not value:
        raise ValueError("model_dir should be non-empty.")
    if key == "experimental_max_worker_delay_secs" and not isinstance(value, (int, np.integer)):
        raise ValueError(f"experimental_max_worker_delay_secs must be an integer if set, got {value!r}.")
    if key in _NOT_NEGATIVE and not value >= 0:
        raise ValueError(f"{key} should be >= 0, got {value}.")
    # Not what is not a number either.
    if key in _POSITIVE and not value > 0:
        raise ValueError(f"{key} should be > 0, got {value}.")
    if key == "session_config" and not isinstance(value, protos.ConfigProto):
        raise ValueError(f"session_config must be instance of ConfigProto, got {value!r}.")
    if key == "device_fn" and not (callable(value) and fn_args(value) == ("op",)):
        raise ValueError('device_fn must be callable with exactly one argument "op".')
    if key == "tf_random_seed" and not isinstance(value, (int, np.integer)):
        raise ValueError(f"tf_random_seed must be integer, got {value!r}.")
    if key == "protocol" and value not in ("grpc", "grpc+verbs"):
        raise ValueError(f"protocol should be grpc or grpc+verbs, got {value!r}.")


def default_session_config() -> protos.ConfigProto:
    """The settings of sessions that a program left open: devices are a wish, not a demand."""
    config = protos.ConfigProto(allow_soft_placement=True)
    config.graph_options.rewrite_options.meta_optimizer_iterations = RewriterConfig.ONE
    return config


def folder_named(model_dir: Any) -> Any:
    """A folder as text; what is no path stays as it is, and is refused where the folder is used, as in 1.15."""
    return as_path(model_dir) if isinstance(model_dir, str | bytes | os.PathLike) else model_dir


def _model_dir(environment: Mapping[str, Any], model_dir: str | None) -> str | None:
    """The folder of the program, or that of TF_CONFIG; they may not contradict each other."""
    named = environment.get("model_dir")
    if named == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if named and model_dir and named != model_dir:
        raise ValueError(
            "`model_dir` provided in RunConfig construct, if set, must have the same value as the model_dir in TF_CONFIG. "
            f'model_dir: {model_dir}\nTF_CONFIG["model_dir"]: {named}.'
        )
    return named if model_dir is None else model_dir


def _service(environment: Mapping[str, Any]) -> Mapping[str, Any] | None:
    service = environment.get("service")
    if service is not None and not isinstance(service, Mapping):
        raise TypeError(f'If "service" is set in TF_CONFIG, it must be a dict. Given {type(service)}')
    return service


def _setting(name: str, purpose: str) -> Any:
    return property(lambda config: getattr(config, f"_{name}"), doc=purpose)


class RunConfig:
    """How an estimator runs: where it saves and how often, its seed, its session, its cluster.

    Args:
        model_dir: the folder of checkpoints and summaries.
        tf_random_seed: the seed of the graphs.
        save_summary_steps: after how many steps summaries are written.
        save_checkpoints_steps: after how many steps checkpoints are saved. Not together with the next.
        save_checkpoints_secs: after how many seconds they are; 600 by default, None or 0 for never.
        session_config: the ConfigProto of its sessions.
        keep_checkpoint_max: how many checkpoints are kept; None or 0 for all.
        keep_checkpoint_every_n_hours: one of so many hours is kept besides.
        log_step_count_steps: after how many steps their rate and the loss are logged.
        train_distribute, eval_distribute: the strategies of training and evaluation.
        experimental_distribute: a `DistributeConfig` that names them, and may name a cluster whose tasks run servers for
            this process.
        device_fn: from operation to device; by default variables lie on parameter servers where there are any.
        protocol: "grpc", or None.
        experimental_max_worker_delay_secs: how long a worker waits at most before it starts.
        session_creation_timeout_secs: how long a worker waits for the chief.

    The environment variable TF_CONFIG names the cluster and the task of this process, in JSON.

    Where it does and there is a strategy of training, a distribute coordinator tells each task what it is, and
    `train_and_evaluate` runs it.

    Raises:
        ValueError: for values that are not as described, or a cluster that is none.

    Example:
        >>> config = tf.estimator.RunConfig(model_dir="model", save_checkpoints_steps=500, tf_random_seed=1)
    """

    # Strategies are what a program gives; a task is a number, or none where one process trains for all.
    _train_distribute: Any
    _eval_distribute: Any
    _experimental_distribute: Any
    _task_id: Any

    def __init__(
        self,
        model_dir: str | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: Any = _USE_DEFAULT,
        save_checkpoints_secs: Any = _USE_DEFAULT,
        session_config: protos.ConfigProto | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Callable[[Operation], str] | None = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: int = 7200,
    ) -> None:
        if save_checkpoints_steps is _USE_DEFAULT and save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, _SAVE_EVERY_SECONDS
        elif save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _USE_DEFAULT:
            save_checkpoints_steps = None
        environment = json.loads(os.environ.get("TF_CONFIG", "{}"))
        if environment:
            tf_logging.info("TF_CONFIG environment variable: %s", environment)
        model_dir = _model_dir(environment, folder_named(model_dir))
        self._set(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_distribute=experimental_distribute,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self._join(environment)
        if session_config is None and self._distribute_coordinator_mode is None and environment.get("cluster"):
            self._session_config = self._session_config_of_task()

    def _join(self, environment: Mapping[str, Any]) -> None:
        """Finds out which cluster this is, and whether a distribute coordinator runs its tasks."""
        told = environment.get("cluster") or {}
        remote = getattr(self._experimental_distribute, "remote_cluster", None)
        self._distribute_coordinator_mode: str | None = None
        if self._train_distribute is None or TaskType.MASTER in told or not (told or remote):
            self._place(environment)
            return
        if told and remote:
            raise ValueError('Cannot set both "cluster_spec" of TF_CONFIG and `experimental_distribute.remote_cluster`')
        self._place({})
        self._cluster_spec = normalize_cluster_spec(remote or told)
        mode = CoordinatorMode.STANDALONE_CLIENT if remote else CoordinatorMode.INDEPENDENT_WORKER
        self._distribute_coordinator_mode = mode

    def _place(self, environment: Mapping[str, Any]) -> None:
        """Reads from TF_CONFIG where in a cluster this process is."""
        self._service = _service(environment)
        self._cluster_spec = ClusterSpec(environment.get("cluster", {}))
        task = environment.get("task", {})
        if not self._cluster_spec.jobs:
            self._task_type = task.get("type", TaskType.WORKER)
            self._task_id = int(task.get("index", 0))
            if self._task_type != TaskType.WORKER:
                raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
            if self._task_id != 0:
                raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
            self._master = environment.get("session_master", "")
            self._evaluation_master = environment.get("eval_session_master", "")
            self._is_chief, self._num_ps_replicas, self._num_worker_replicas = True, 0, 1
            self._global_id_in_cluster: int | None = 0
            return
        jobs = self._cluster_spec.as_dict()
        chief = TaskType.MASTER if TaskType.MASTER in jobs else TaskType.CHIEF
        if chief not in jobs:
            raise ValueError('If "cluster" is set in TF_CONFIG, it must have one "chief" node.')
        if chief == TaskType.MASTER and TaskType.CHIEF in jobs:
            raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
        if chief == TaskType.MASTER and task.get("type") == TaskType.EVALUATOR:
            raise ValueError("If `master` node exists in `cluster`, task_type `evaluator` is not supported.")
        if len(jobs[chief]) > 1:
            raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
        if not task.get("type"):
            raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
        if task.get("index") is None:
            raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
        self._task_type, self._task_id = task["type"], int(task["index"])
        if self._task_id < 0:
            raise ValueError("Task index must be non-negative number.")
        if self._task_type == TaskType.EVALUATOR:
            self._evaluation_master = environment.get("eval_session_master", "")
            self._master, self._is_chief, self._global_id_in_cluster = "", False, None
            self._num_ps_replicas = self._num_worker_replicas = 0
            # An evaluator is no part of the cluster: it talks to none of its tasks.
            self._cluster_spec = ClusterSpec({})
            return
        self._check_task(jobs)
        # Only evaluators evaluate somewhere else.
        self._evaluation_master = ""
        self._master = f"grpc://{jobs[self._task_type][self._task_id]}" if sum(map(len, jobs.values())) > 1 else ""
        self._master = environment.get("session_master", self._master)
        self._is_chief = self._task_type == chief
        self._num_ps_replicas = len(jobs.get(TaskType.PS, ()))
        self._num_worker_replicas = len(jobs.get(TaskType.WORKER, ())) + 1
        self._global_id_in_cluster = self._global_id(jobs, chief)

    def _check_task(self, jobs: Mapping[str, Any]) -> None:
        where = (
            f"in the cluster_spec:\n{self._cluster_spec}\n\nNote that these values may be coming from the TF_CONFIG "
            "environment variable."
        )
        if self._task_type not in jobs:
            raise ValueError(f"{self._task_type} is not a valid task_type {where}")
        if self._task_id >= len(jobs[self._task_type]):
            raise ValueError(f"{self._task_id} is not a valid task_id for task_type {self._task_type} {where}")

    def _global_id(self, jobs: Mapping[str, Any], chief: str) -> int:
        """The number of this task when chief, workers and parameter servers are counted through in this order."""
        others = sorted(job for job in jobs if job not in (chief, TaskType.PS))
        order = [chief, *others, TaskType.PS]
        return sum(len(jobs.get(job, ())) for job in order[: order.index(self._task_type)]) + self._task_id

    def _for_worker(self, worker: CoordinatedWorker) -> RunConfig:
        """A copy for a worker of a distribute coordinator, which says what the task is."""
        config = copy.copy(self)
        config._distribute_coordinator_mode = None
        cluster, task_type = worker.cluster_spec or ClusterSpec({}), worker.task_type
        jobs = cluster.as_dict()
        config._cluster_spec = ClusterSpec({}) if task_type == TaskType.EVALUATOR else cluster
        # Where one process trains for all, it is none of the tasks.
        config._task_type, config._task_id = task_type, worker.task_id
        config._master = config._evaluation_master = worker.master_target
        config._is_chief = worker.is_chief
        trains = task_type != TaskType.EVALUATOR
        config._num_ps_replicas = len(jobs.get(TaskType.PS, ())) if trains else 0
        config._num_worker_replicas = worker.num_workers if trains else 0
        config._global_id_in_cluster = config._global_id(jobs, TaskType.CHIEF) if task_type and trains else None
        return config

    def _session_config_of_task(self) -> protos.ConfigProto | None:
        """A worker talks to the parameter servers and to itself, so that others may come and go."""
        filters = ["/job:ps"]
        if self._task_type in (TaskType.MASTER, TaskType.CHIEF):
            filters.append(f"/job:{self._task_type}")
        elif self._task_type == TaskType.WORKER:
            filters.append(f"/job:worker/task:{self._task_id}")
        elif self._task_type == TaskType.PS:
            filters = ["/job:ps", "/job:worker", "/job:chief", "/job:master"]
        else:
            return None
        config = default_session_config()
        config.device_filters.extend(filters)
        return config

    def _set(self, **values: Any) -> None:
        for key, value in values.items():
            if key not in _ALLOWED:
                raise ValueError(f"Replacing {key} is not supported. Allowed properties are {list(_ALLOWED)}.")
            _check(key, value)
            setattr(self, f"_{key}", value)
        self._take_strategies(values)
        if self.save_checkpoints_steps is not None and self.save_checkpoints_secs is not None:
            raise ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.")

    def _take_strategies(self, values: Mapping[str, Any]) -> None:
        """Takes the strategies that a `DistributeConfig` names; raises ValueError where they are named twice."""
        for name in ("train_distribute", "eval_distribute"):
            strategy = getattr(values.get("experimental_distribute"), name, None)
            if strategy is None:
                continue
            if values.get(name) is not None:
                raise ValueError(f"Either `{name}` or `experimental_distribute.{name}` can be set, not both.")
            setattr(self, f"_{name}", strategy)

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values: any of the arguments of the constructor.

        Raises:
            ValueError: for others, or values that are not as described there.
        """
        changed = copy.copy(self)
        # Each of the two ways to say when to save takes the place of the other.
        if kwargs.get("save_checkpoints_steps") is not None:
            kwargs.setdefault("save_checkpoints_secs", None)
        elif kwargs.get("save_checkpoints_secs") is not None:
            kwargs.setdefault("save_checkpoints_steps", None)
        changed._set(**kwargs)
        return changed

    model_dir = _setting("model_dir", "The folder of checkpoints and summaries.")
    tf_random_seed = _setting("tf_random_seed", "The seed of the graphs.")
    save_summary_steps = _setting("save_summary_steps", "After how many steps summaries are written.")
    save_checkpoints_steps = _setting("save_checkpoints_steps", "After how many steps checkpoints are saved.")
    save_checkpoints_secs = _setting("save_checkpoints_secs", "After how many seconds they are.")
    session_config = _setting("session_config", "The ConfigProto of sessions.")
    keep_checkpoint_max = _setting("keep_checkpoint_max", "How many checkpoints are kept.")
    keep_checkpoint_every_n_hours = _setting("keep_checkpoint_every_n_hours", "One of so many hours is kept besides.")
    log_step_count_steps = _setting("log_step_count_steps", "After how many steps their rate and the loss are logged.")
    train_distribute = _setting("train_distribute", "The strategy of training.")
    eval_distribute = _setting("eval_distribute", "The strategy of evaluation.")
    device_fn = _setting("device_fn", "From operation to device.")
    protocol = _setting("protocol", "How tasks talk to each other.")
    experimental_max_worker_delay_secs = _setting(
        "experimental_max_worker_delay_secs", "How long a worker waits at most."
    )
    session_creation_timeout_secs = _setting("session_creation_timeout_secs", "How long a worker waits for the chief.")
    cluster_spec = _setting("cluster_spec", "The tasks of the cluster.")
    task_type = _setting("task_type", "The job of this process.")
    task_id = _setting("task_id", "Its number in the job.")
    global_id_in_cluster = _setting("global_id_in_cluster", "Its number among all tasks; None of an evaluator.")
    master = _setting("master", "The target of its sessions.")
    evaluation_master = _setting("evaluation_master", "That of sessions that evaluate.")
    is_chief = _setting("is_chief", "Whether it initializes and saves.")
    num_ps_replicas = _setting("num_ps_replicas", "How many parameter servers there are.")
    num_worker_replicas = _setting("num_worker_replicas", "How many workers there are, the chief included.")
    service = _setting("service", "What TF_CONFIG says of the platform.")
