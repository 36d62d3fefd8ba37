"""The line that shows how far a training has come."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    Average = list[float]


def _seconds(duration: float) -> str:
    """A duration as hours, minutes and seconds, the larger ones only where there are any."""
    if duration > 3600:
        return f"{int(duration // 3600)}:{int(duration % 3600 // 60):02d}:{int(duration % 60):02d}"
    if duration > 60:
        return f"{int(duration // 60)}:{int(duration % 60):02d}"
    return f"{int(duration)}s"


def _each(duration: float, unit: str) -> str:
    """A duration of one unit of work, in seconds, milliseconds or microseconds."""
    if duration >= 1 or duration == 0:
        return f" {duration:.0f}s/{unit}"
    if duration >= 1e-3:
        return f" {duration * 1e3:.0f}ms/{unit}"
    return f" {duration * 1e6:.0f}us/{unit}"


class Progbar:
    """A line on the terminal with a bar, the time left and averages of values.

    Args:
        target: the number of steps; None where it is not known.
        width: of the bar, in characters.
        verbose: 0 prints nothing, 1 a bar at each update, 2 a line when all is done.
        interval: seconds that pass at least between two lines.
        stateful_metrics: names of values that are averages already and are shown as they are.
        unit_name: what a step is called.

    Example:
        >>> bar = tf.keras.utils.Progbar(3)
        >>> for step in range(3):
        ...     bar.update(step + 1, [("loss", 0.5)])
    """

    def __init__(
        self,
        target: int | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Iterable[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        # A log file or a pipe gets a line for each update, since nothing can be taken back there.
        self._dynamic_display = (
            (hasattr(sys.stdout, "isatty") and sys.stdout.isatty())
            or any(module in sys.modules for module in ("ipykernel", "posix"))
            or "PYCHARM_HOSTED" in os.environ
        )
        self._total_width = 0
        self._seen_so_far = 0
        # Sums of values and the steps they are of; a stateful value by itself.
        self._values: dict[str, Average | float] = {}
        self._values_order: list[str] = []
        self._start = time.time()
        self._last_update: float = 0

    def update(self, current: int, values: Sequence[tuple[str, float]] | None = None) -> None:
        """Shows that `current` steps are done.

        Args:
            current: the number of steps done.
            values: pairs of a name and the value of the steps since the last update.
        """
        self._take(current, values or ())
        now = time.time()
        if self.verbose == 1:
            too_soon = now - self._last_update < self.interval
            if too_soon and self.target is not None and current < self.target:
                return
            self._show_bar(current, now)
        elif self.verbose == 2 and self.target is not None and current >= self.target:
            count = f"{current:{len(str(self.target))}d}/{self.target}"
            sys.stdout.write(f"{count} - {now - self._start:.0f}s{self._averages(signed=True)}\n")
            sys.stdout.flush()
        self._last_update = now

    def add(self, n: int, values: Sequence[tuple[str, float]] | None = None) -> None:
        """Shows that `n` more steps are done."""
        self.update(self._seen_so_far + n, values)

    def _take(self, current: int, values: Iterable[tuple[str, float]]) -> None:
        steps = current - self._seen_so_far
        for name, value in values:
            if name not in self._values_order:
                self._values_order.append(name)
            if name in self.stateful_metrics:
                # Shown to four digits like an average of one step.
                self._values[name] = [value, 1]
                continue
            known = self._values.get(name)
            if isinstance(known, list):
                known[0] += value * steps
                known[1] += steps
            else:
                self._values[name] = [value * steps, steps]
        self._seen_so_far = current

    def _show_bar(self, current: int, now: float) -> None:
        before = self._total_width
        start = "\b" * before + "\r" if self._dynamic_display else "\n"
        bar = self._bar(current)
        spent = now - self._start
        each = spent / current if current else 0
        if self.target is not None and current < self.target:
            info = f" - ETA: {_seconds(each * (self.target - current))}"
        else:
            info = f" - {spent:.0f}s{_each(each, self.unit_name)}"
        info += self._averages(signed=False)
        self._total_width = len(bar) + len(info)
        # What the last line was longer by is written over.
        info += " " * (before - self._total_width)
        if self.target is not None and current >= self.target:
            info += "\n"
        sys.stdout.write(start + bar + info)
        sys.stdout.flush()

    def _bar(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        digits = int(np.log10(self.target)) + 1
        done = int(self.width * float(current) / self.target)
        bar = f"{current:{digits}d}/{self.target} ["
        if done > 0:
            bar += "=" * (done - 1) + (">" if current < self.target else "=")
        return f"{bar}{'.' * (self.width - done)}]"

    def _averages(self, signed: bool) -> str:
        """The values by name; `signed` ones that are negative are written with an exponent, as Keras' last lines do."""
        shown = ""
        for name in self._values_order:
            value = self._values[name]
            shown += f" - {name}:"
            if not isinstance(value, list):
                shown += f" {value}"
                continue
            average = np.mean(value[0] / max(1, value[1]))
            plain = (average if signed else abs(average)) > 1e-3
            shown += f" {average:.4f}" if plain else f" {average:.4e}"
        return shown
