"""What a function knows of the worker that runs it, in a cluster that trains one model together.

The distribute coordinator (`distribute.coordinator`) sets it for the thread that runs such a function.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from headrace.messages import protos
    from headrace.sessions.scaffold import Scaffold
    from headrace.sessions.session_creators import SessionCreator


class WorkerContext(Protocol):
    """A worker, as those who make sessions for it see it: `distribute.coordinator` has it."""

    @property
    def is_chief(self) -> bool: ...

    @property
    def should_checkpoint(self) -> bool: ...

    @property
    def should_save_summary(self) -> bool: ...

    @property
    def scratch_folder(self) -> str | None: ...

    @property
    def experimental_should_init(self) -> bool: ...

    @property
    def session_config(self) -> protos.ConfigProto | None: ...

    @property
    def master_target(self) -> str: ...

    def wait_for_other_workers(self) -> None:
        """Waits until all workers of the client's process have come here."""

    def session_creator(
        self,
        scaffold: Scaffold | None = None,
        config: protos.ConfigProto | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        max_wait_secs: float = 7200,
    ) -> SessionCreator:
        """What makes the worker's sessions."""


_current = threading.local()


def get_current_worker_context() -> WorkerContext | None:
    """The worker that this thread runs a function for, None if it does not."""
    found: WorkerContext | None = getattr(_current, "context", None)
    return found


@contextlib.contextmanager
def as_worker(context: WorkerContext) -> Iterator[None]:
    """A context in which this thread is a worker."""
    _current.context = context
    try:
        yield
    finally:
        _current.context = None
