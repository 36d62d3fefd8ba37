"""What the tasks of a cluster are to those who train one model together: who leads, who is which, how many there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.messages import protos
from headrace.sessions.cluster import ClusterSpec

_CHIEF, _WORKER, _EVALUATOR, _PS = "chief", "worker", "evaluator", "ps"


def normalize_cluster_spec(cluster_spec: Any) -> ClusterSpec:
    """A cluster as a `ClusterSpec`.

    Args:
        cluster_spec: a mapping, a `ClusterDef` or a `ClusterSpec`.

    Raises:
        ValueError: for anything else.
    """
    if isinstance(cluster_spec, (Mapping, protos.ClusterDef)):
        return ClusterSpec(cluster_spec)
    if not isinstance(cluster_spec, ClusterSpec):
        raise ValueError(
            "`cluster_spec` should be dict or a `tf.train.ClusterSpec` or a `tf.train.ClusterDef` object, got "
            f"{cluster_spec!r}"
        )
    return cluster_spec


def _checked(cluster_spec: Any, task_type: str | None, task_id: int | None) -> dict[str, Any]:
    """The tasks of each job, of a cluster in which there is this one.

    Raises:
        ValueError: if there is not, or it is of no job of training, or there are several chiefs or evaluators.
    """
    if cluster_spec is None or task_type is None or task_id is None:
        raise ValueError(
            "None of `cluster_spec`, `task_type`, and `task_id` should be `None`, got "
            f"{cluster_spec!r}, {task_type!r} and {task_id!r}."
        )
    cluster = normalize_cluster_spec(cluster_spec).as_dict()
    allowed = (_CHIEF, _WORKER, _EVALUATOR, _PS)
    if task_type not in allowed:
        raise ValueError(f"Unrecognized task_type: {task_type!r}, valid task types are: {allowed}.")
    if task_type not in cluster:
        raise ValueError(f"`task_type` {task_type!r} not found in cluster_spec.")
    for job in (_CHIEF, _EVALUATOR):
        if len(cluster.get(job, ())) > 1:
            raise ValueError(f"There must be at most one '{job}' job, got {len(cluster[job])} tasks.")
    if task_id >= len(cluster[task_type]):
        raise ValueError(
            f"The `task_id` {task_id} exceeds the maximum id of {task_type}: {len(cluster[task_type]) - 1}."
        )
    return cluster


def is_chief_task(cluster_spec: Any, task_type: str | None, task_id: int | None) -> bool:
    """Whether a task is the chief, or the first worker where there is no chief; an evaluator is its own chief.

    Raises:
        ValueError: if the cluster has no such task.

    Example:
        >>> from headrace.distribute.multi_worker_util import is_chief_task
        >>> is_chief_task({"worker": ["a:1", "b:1"]}, "worker", 0)
        True
    """
    cluster = _checked(cluster_spec, task_type, task_id)
    if task_type in (_CHIEF, _EVALUATOR):
        return True
    return _CHIEF not in cluster and task_type == _WORKER and task_id == 0


def collective_leader(cluster_spec: Any, task_type: str | None, task_id: int | None) -> str:
    """The task that leads collectives, as a device name; "" for an evaluator, and where there is no cluster.

    Raises:
        ValueError: if the cluster has no such task, or neither a chief nor a worker.
    """
    if not normalize_cluster_spec(cluster_spec).as_dict():
        return ""
    cluster = _checked(cluster_spec, task_type, task_id)
    if task_type == _EVALUATOR:
        return ""
    job = _CHIEF if _CHIEF in cluster else _WORKER
    if job not in cluster:
        raise ValueError("No `worker` or `chief` tasks can be found in `cluster_spec`.")
    return f"/job:{job}/replica:0/task:0"


def worker_count(cluster_spec: Any, task_type: str | None) -> int:
    """How many tasks train together with those of a job: chief and workers; or evaluators.

    Raises:
        ValueError: for a job that does not train.
    """
    cluster = normalize_cluster_spec(cluster_spec).as_dict()
    if task_type not in (_CHIEF, _WORKER, _EVALUATOR):
        raise ValueError(f"Unexpected `task_type` {task_type!r}: expected '{_CHIEF}', '{_WORKER}' or '{_EVALUATOR}'")
    if task_type == _EVALUATOR:
        return len(cluster[_EVALUATOR])
    return len(cluster.get(_CHIEF, ())) + len(cluster.get(_WORKER, ()))


def id_in_cluster(cluster_spec: Any, task_type: str | None, task_id: int | None) -> int:
    """The number of a task among those it trains with, the chief first.

    Raises:
        ValueError: if the cluster has no such task, or it does not train.
    """
    cluster = _checked(cluster_spec, task_type, task_id)
    if task_type == _CHIEF:
        return 0
    if task_type == _WORKER and task_id is not None:
        return task_id + len(cluster.get(_CHIEF, ()))
    if task_type == _EVALUATOR and task_id is not None:
        return task_id
    raise ValueError(f"There is no id for task_type {task_type!r}")
