"""When hooks do their work: every so many steps or seconds."""

from __future__ import annotations

import time


class SecondOrStepTimer:
    """Triggers at the first step and then every so many seconds, or every so many steps.

    Args:
        every_secs, every_steps: one of the two.

    Raises:
        ValueError: if both or none are given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets when it triggered last."""
        self._last_triggered_step: int | None = None
        self._last_triggered_time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time; asking changes nothing."""
        if self._last_triggered_step is None or self._last_triggered_time is None:
            return True
        if step == self._last_triggered_step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_triggered_time + self._every_secs
        return step >= self._last_triggered_step + (self._every_steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that it triggered; returns the seconds and steps since the last time, None the first time."""
        now = time.time()
        elapsed: tuple[float | None, int | None] = (None, None)
        if self._last_triggered_time is not None and self._last_triggered_step is not None:
            elapsed = (now - self._last_triggered_time, step - self._last_triggered_step)
        self._last_triggered_step, self._last_triggered_time = step, now
        return elapsed

    def last_triggered_step(self) -> int | None:
        """The step it triggered at last, or None."""
        return self._last_triggered_step


class NeverTriggerTimer:
    """Never triggers."""

    def reset(self) -> None:
        """Nothing to forget."""

    def should_trigger_for_step(self, step: int) -> bool:
        """False."""
        return False

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """(None, None)."""
        return None, None

    def last_triggered_step(self) -> int | None:
        """None."""
        return None
