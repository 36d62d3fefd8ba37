"""Loops and parts of programs written for TPUs, on the devices of this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.core.defaults import name_scope
from headrace.functions.flow.while_loop import while_loop as loop
from headrace.sessions.saving_hooks import CheckpointSaverHook

_FEEDING = "there are no TPUs in Headrace, so nothing is fed to one: use a tf.data.Dataset in the place of infeed_queue"


class AsyncCheckpointSaverHook(CheckpointSaverHook):
    """Writes checkpoints in a training on a TPU; here between two steps, as `tf.train.CheckpointSaverHook` does.

    Args:
        checkpoint_dir, save_secs, save_steps, saver, checkpoint_basename, scaffold, listeners: as of that hook.
    """


def core(num: int) -> str:
    """The device name of a core of a replica, as annotations of graphs have it.

    Args:
        num: the number of the core.

    Example:
        >>> core(3)
        'device:TPU_REPLICATED_CORE:3'
    """
    return f"device:TPU_REPLICATED_CORE:{num}"


def outside_compilation(computation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What is not compiled for a TPU: all is so here, so the computation is called.

    Args:
        computation: the function.
        *args, **kwargs: its arguments.
    """
    return computation(*args, **kwargs)


def while_loop(
    condition: Callable[..., Any],
    body: Callable[..., Any],
    inputs: Sequence[Any] | None = None,
    infeed_queue: Any = None,
    name: str | None = None,
) -> list[Any]:
    """A loop over values that are all of one shape in each iteration.

    Args:
        condition: of the values; whether to go on.
        body: of the values; returns the next ones, and operations to run in each iteration.
        inputs: the first values.
        infeed_queue: must be None.
        name: a prefix for the operations.

    Returns:
        a list of the last values.

    Raises:
        NotImplementedError: for an `infeed_queue`.

    Example:
        >>> total, = while_loop(lambda x: x < 10, lambda x: x + 3, [tf.constant(0)])
        >>> with tf.Session() as sess:
        ...     print(sess.run(total))
        12
    """
    return _looped(condition, body, list(inputs or ()), infeed_queue, name)


def repeat(
    n: Any,
    body: Callable[..., Any],
    inputs: Sequence[Any] | None = None,
    infeed_queue: Any = None,
    name: str | None = None,
) -> list[Any]:
    """Runs a body a number of times; arguments and results as of `while_loop`.

    Args:
        n: how often, an int or a scalar.
        body, inputs, infeed_queue, name: as of `while_loop`.
    """

    def counted(i: Any, *values: Any) -> list[Any]:
        made = body(*values)
        return [i + 1, *(made if isinstance(made, (list, tuple)) else [] if made is None else [made])]

    return _looped(lambda i, *_: i < n, counted, [0, *(inputs or ())], infeed_queue, name)[1:]


def _looped(
    condition: Callable[..., Any], body: Callable[..., Any], inputs: list[Any], infeed_queue: Any, name: str | None
) -> list[Any]:
    if infeed_queue is not None:
        raise NotImplementedError(_FEEDING)
    with name_scope(name, "while_loop", inputs):
        results = loop(condition, body, inputs, parallel_iterations=1)
        return list(results) if isinstance(results, (list, tuple)) else [results]
