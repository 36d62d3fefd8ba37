"""The simplest training loop over a supervisor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import errors

if TYPE_CHECKING:
    from headrace.sessions.supervisor import Supervisor


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    master: str = "",
) -> None:
    """Calls a function with a session until the supervisor stops; again from the start if a step is aborted.

    Args:
        supervisor: a `tf.train.Supervisor`.
        train_step_fn: called as `train_step_fn(session, *args, **kwargs)`; runs a step.
        args, kwargs: its further arguments.
        master: the session's target.

    Example:
        >>> train_op = optimizer.minimize(loss, global_step)
        >>> supervisor = tf.train.Supervisor(logdir="train")
        >>> def step(session, steps):
        ...     session.run(train_op)
        ...     if session.run(global_step) >= steps:
        ...         supervisor.request_stop()
        >>> tf.train.basic_train_loop(supervisor, step, args=(10,))
    """
    while True:
        try:
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *(args or ()), **(kwargs or {}))
            return
        except errors.AbortedError:
            # A server has begun anew, so the session does too.
            continue
