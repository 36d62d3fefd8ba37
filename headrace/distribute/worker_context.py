"""What a function asks of the worker that runs it: whether it is the chief, saves checkpoints, waits for the others."""

from __future__ import annotations

from typing import Any

from headrace.distribute.multi_worker_util import is_chief_task
from headrace.sessions.worker_context import WorkerContext, get_current_worker_context


def has_worker_context() -> bool:
    """Whether this thread runs a function for a worker."""
    return get_current_worker_context() is not None


def is_chief(cluster_spec: Any = None, task_type: str | None = None, task_id: int | None = None) -> bool:
    """Whether the worker that this thread runs a function for is the chief; without one, whether a task is.

    Args:
        cluster_spec, task_type, task_id: the task.

    Raises:
        ValueError: if the cluster has no such task.
    """
    context = get_current_worker_context()
    return context.is_chief if context is not None else is_chief_task(cluster_spec, task_type, task_id)


def should_save_checkpoint() -> bool:
    """Whether this worker writes checkpoints."""
    return _context().should_checkpoint


def should_load_checkpoint() -> bool:
    """Whether this worker initializes variables, and so restores them."""
    return _context().experimental_should_init


def wait_for_other_workers() -> None:
    """Waits until the other workers have come here too."""
    _context().wait_for_other_workers()


def _context() -> WorkerContext:
    context = get_current_worker_context()
    if context is None:
        raise RuntimeError("This thread runs no function for a worker: see `run_distribute_coordinator`.")
    return context
