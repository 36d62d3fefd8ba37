"""Tasks as processes of their own, which begin with everything imported: a test starts many."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from typing import Any

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["cluster.task", "headrace.cluster.target"])


class TaskProcess:
    """A task as a process.

    Args:
        function: of `task`, what it does.
        arguments: after the connection by which it reports.
    """

    def __init__(
        self,
        function: Callable[..., None],
        cluster: dict[str, list[str]],
        job: str,
        index: int,
        variables: dict[str, str],
        *arguments: Any,
    ) -> None:
        self.reports, theirs = _processes.Pipe(duplex=False)
        self._process = _processes.Process(
            target=function, args=(cluster, job, index, variables, theirs, *arguments), daemon=True
        )
        self._process.start()
        theirs.close()

    def said(self) -> Any:
        """What it reports next; fails where it does not, or has ended."""
        assert self.reports.poll(60), "the task reports nothing"
        return self.reports.recv()

    def send_signal(self, number: int) -> None:
        """Sends a signal."""
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self._process.join()

    def wait(self) -> int:
        """Waits for its end and returns its exit status."""
        self._process.join(60)
        assert self._process.exitcode is not None, "the task does not end"
        return self._process.exitcode

    def close(self) -> None:
        """Ends it, whatever it does, and lets go of it."""
        self.kill()
        self.reports.close()
        self._process.close()
