"""What `tf.contrib.summary` has beside the writers and the summaries themselves: when to record, and getting ready."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from headrace.contrib.summary.recorded_summaries import serialized, write_graph
from headrace.core.defaults import device, get_default_session
from headrace.core.dtypes import string
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.ops.array.constant import placeholder
from headrace.state.global_step import get_or_create_global_step
from headrace.summary.recording import record_if, state
from headrace.summary.resource_writers import SummaryWriter, create_file_writer, summary_writer_initializer_op
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike
    from headrace.state.variables import Variable


def create_db_writer(
    db_uri: Any,
    experiment_name: Any = None,
    run_name: Any = None,
    user_name: Any = None,
    name: str | None = None,
) -> Any:
    """Not here: a writer to a SQLite database, which TensorBoard stopped reading with 2.0.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        f"tf.contrib.summary.create_db_writer({db_uri!r}) (op CreateSummaryDbWriter): TensorBoard no longer reads "
        "databases; use tf.contrib.summary.create_file_writer."
    )


def create_summary_file_writer(*args: Any, **kwargs: Any) -> SummaryWriter:
    """The older name of `create_file_writer`."""
    tf_logging.warning("Deprecation Warning: create_summary_file_writer was renamed to create_file_writer")
    return create_file_writer(*args, **kwargs)


def initialize(graph: Any = None, session: SessionLike | None = None) -> None:
    """Opens the files of the writers, and writes a graph to that in use.

    Args:
        graph: a `Graph` or `GraphDef` to write.
        session: the session; the default one if None.

    Raises:
        RuntimeError: if no writer is in use; ValueError: if there is no session.
    """
    if executing_eagerly():
        # Writers open their files when they are made.
        return
    if state.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = get_default_session() if session is None else session
    if session is None:
        raise ValueError("session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        text = serialized(graph)
        fed = placeholder(string)
        session.run(write_graph(fed, 0), feed_dict={fed: text})


def record_summaries_every_n_global_steps(
    n: int, global_step: Tensor | Variable | None = None
) -> AbstractContextManager[None]:
    """Records the summaries in the block when the global step is a multiple of `n`.

    Args:
        n: every how many steps.
        global_step: the step; that of the graph by default.
    """
    step = get_or_create_global_step() if global_step is None else global_step

    def is_due() -> Tensor:
        return raw.Equal(step % n, 0)

    with device("cpu:0"):
        return record_if(is_due if executing_eagerly() else is_due())


def always_record_summaries() -> AbstractContextManager[None]:
    """Records the summaries in the block."""
    return record_if(True)


def never_record_summaries() -> AbstractContextManager[None]:
    """Does not record the summaries in the block."""
    return record_if(False)


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The directory for the events of an evaluation, beside those of training."""
    return os.path.join(model_dir, "eval" if not name else f"eval_{name}")
