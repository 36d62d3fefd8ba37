"""What a server counts, in the text form of Prometheus."""

from __future__ import annotations

import threading
from bisect import bisect_left

# Upper ends of the buckets of latencies, in microseconds: 10 times powers of 1.8.
LATENCY_BUCKETS = tuple(10.0 * 1.8**power for power in range(33))
_Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters and histograms, by name and labels.

    Example:
        >>> metrics = Metrics()
        >>> metrics.count("requests", model_name="m")
        >>> metrics.text()
        '# TYPE requests counter\\nrequests{model_name="m"} 1\\n'
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: dict[str, dict[_Labels, int]] = {}
        self._histograms: dict[str, dict[_Labels, tuple[list[int], list[float]]]] = {}

    def count(self, name: str, amount: int = 1, /, **labels: str) -> None:
        """Adds to a counter."""
        with self._lock:
            points = self._counters.setdefault(name, {})
            key = tuple(labels.items())
            points[key] = points.get(key, 0) + amount

    def observe(self, name: str, value: float, /, **labels: str) -> None:
        """Adds a value to a histogram."""
        with self._lock:
            points = self._histograms.setdefault(name, {})
            key = tuple(labels.items())
            found = points.get(key)
            if found is None:
                found = points[key] = ([0] * (len(LATENCY_BUCKETS) + 1), [0.0])
            found[0][bisect_left(LATENCY_BUCKETS, value)] += 1
            found[1][0] += value

    def histograms(self, name: str) -> dict[_Labels, list[int]]:
        """How many values of a histogram fell into each bucket, by labels; the last bucket has no end."""
        with self._lock:
            return {key: list(counts) for key, (counts, _) in self._histograms.get(name, {}).items()}

    def text(self) -> str:
        """All of them, as Prometheus reads them."""
        lines: list[str] = []
        with self._lock:
            for name, points in sorted(self._counters.items()):
                lines.append(f"# TYPE {name} counter")
                lines += [f"{name}{{{_labels(key)}}} {value}" for key, value in points.items()]
            for name, histograms in sorted(self._histograms.items()):
                lines.append(f"# TYPE {name} histogram")
                for key, (counts, total) in histograms.items():
                    labels = _labels(key)
                    before = f"{labels}," if labels else ""
                    reached = 0
                    for bound, number in zip([*(f"{end:g}" for end in LATENCY_BUCKETS), "+Inf"], counts, strict=True):
                        reached += number
                        lines.append(f'{name}_bucket{{{before}le="{bound}"}} {reached}')
                    lines.append(f"{name}_sum{{{labels}}} {total[0]:g}")
                    lines.append(f"{name}_count{{{labels}}} {reached}")
        return "\n".join(lines) + "\n"


def _labels(key: _Labels) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in key)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


REQUEST_COUNT = ":tensorflow:serving:request_count"
REQUEST_LATENCY = ":tensorflow:serving:request_latency"
LOAD_ATTEMPTS = ":tensorflow:cc:saved_model:load_attempt_count"
LOAD_LATENCY = ":tensorflow:cc:saved_model:load_latency"
BATCH_SIZE = ":tensorflow:serving:batching_session:processed_batch_size"
