"""`FailureTolerator`: retries after failures that pass."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator

from headrace.core import errors
from headrace.util import tf_logging


class FailureTolerator:
    """Forgives failures of some classes, a few of them, and waits longer before each new attempt.

    Args:
        limit: with this many failures that count the last is raised.
        init_delay: how many seconds to wait after the first failure.
        backoff_factor: by how much each further failure makes the wait longer.
        forgive_after_seconds: after how many seconds, waiting aside, a failure counts no more.
        handled_exceptions: the classes to forgive, `tf.errors.AbortedError` by default.

    Example:
        >>> tolerator = tf.contrib.training.FailureTolerator(init_delay=0.0)
        >>> for attempt in range(2):
        ...     with tolerator.forgive():
        ...         if attempt == 0:
        ...             raise tf.errors.AbortedError(None, None, "a server is gone")
        ...         print("done")
        done
    """

    def __init__(
        self,
        limit: int = 5,
        init_delay: float = 5.0,
        backoff_factor: float = 2.0,
        forgive_after_seconds: float = 6000,
        handled_exceptions: Iterable[type[BaseException]] | None = None,
    ) -> None:
        self.limit = limit
        self.delay = init_delay
        self.backoff = backoff_factor
        self.forgive_after = forgive_after_seconds
        self.handled = (errors.AbortedError,) if handled_exceptions is None else tuple(handled_exceptions)
        self.exceptions: list[float] = []
        self.time_in_delay = 0.0

    def _now(self) -> float:
        # Time spent waiting does not make failures old.
        return time.time() - self.time_in_delay

    def _forget_old(self) -> None:
        now = self._now()
        self.exceptions = [moment for moment in self.exceptions if now - moment < self.forgive_after]

    @contextlib.contextmanager
    def forgive(self) -> Iterator[None]:
        """Runs a block, after a wait if earlier ones failed; a failure that can be forgiven ends it silently."""
        self._forget_old()
        if self.exceptions:
            seconds = self.delay * self.backoff ** (len(self.exceptions) - 1)
            tf_logging.warning("Sleeping for %f seconds before resuming", seconds)
            time.sleep(seconds)
            self.time_in_delay += seconds
        try:
            yield
        except self.handled:
            self._forget_old()
            self.exceptions.append(self._now())
            if len(self.exceptions) >= self.limit:
                raise
            tf_logging.warning("Forgiving an exception", exc_info=True)
