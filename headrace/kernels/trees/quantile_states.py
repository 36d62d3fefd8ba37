"""Streams of quantiles whose boundaries are made anew in each round, and how checkpoints keep them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.trees.quantile_summary import QuantileStream, QuantileSummary
from headrace.kernels.trees.stamped import Stamped
from headrace.messages import boosted_tree_protos
from headrace.util.compat import as_bytes

if TYPE_CHECKING:
    from headrace.messages.boosted_tree_protos import QuantileConfig, QuantileSummaryState


class StampedQuantiles(Stamped):
    """A stream of the values of a round, and the boundaries that were made of those of the round before.

    Args:
        kind: what it is, for messages.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.is_ready = False
        self.buckets = np.zeros(0, np.float32)
        self.error, self.quantiles, self.max_elements, self.is_exact = 0.0, 0, 0, False
        self.stream = QuantileStream(1.0, 2)

    def create(self, stamp: int, error: float, quantiles: int, max_elements: int, is_exact: bool) -> None:
        """Makes it, unless it is there.

        Args:
            stamp: that of the first round.
            error: by how much ranks may be wrong, as a share of the weight.
            quantiles: how many boundaries.
            max_elements: how many values may come.
            is_exact: whether the boundaries divide the weight evenly; there is one more of them then.
        """
        with self.lock:
            if self.is_created:
                return
            self.stamp, self.error, self.quantiles = stamp, error, quantiles
            self.max_elements, self.is_exact = max_elements, is_exact
            self.restart()
            self.is_created = True

    def restart(self) -> None:
        """Forgets what has come."""
        self.stream = QuantileStream(self.error, self.max_elements)

    def flush(self) -> None:
        """Makes boundaries of what has come, and forgets it."""
        whole = self.stream.finished()
        self.buckets = whole.quantiles(self.quantiles) if self.is_exact else whole.boundaries(self.quantiles)
        self.is_ready = True
        self.restart()

    def stream_bytes(self) -> bytes:
        """What has come, serialized: the summaries of all levels, and an empty one behind them."""
        state = boosted_tree_protos.QuantileStreamState()
        for level in self.stream.levels:
            _fill(state.summaries.add(), level)
        state.summaries.add()
        serialized: bytes = state.SerializeToString()
        return serialized

    def replace(self, stamp: int, state: bytes, is_ready: bool, buckets: np.ndarray) -> None:
        """Takes what a checkpoint has kept."""
        message = boosted_tree_protos.QuantileStreamState()
        _parse(message, state)
        self.stamp, self.is_ready, self.buckets = stamp, is_ready, buckets
        self.restart()
        *levels, rest = [_summary(one) for one in message.summaries] or [QuantileSummary()]
        self.stream.levels = levels
        if len(rest):
            self.stream.push_summary(rest)


def _parse(message: object, serialized: bytes | str) -> None:
    from google.protobuf.message import DecodeError

    try:
        message.ParseFromString(as_bytes(serialized))  # type: ignore[attr-defined]  # one of the messages made from tables
    except DecodeError:
        raise InvalidArgumentError(None, None, "Unable to parse quantiles from their proto.") from None


def _fill(message: QuantileSummaryState, summary: QuantileSummary) -> None:
    for value, weight, least, greatest in summary.rows.tolist():
        message.entries.add(value=value, weight=weight, min_rank=least, max_rank=greatest)


def _summary(message: QuantileSummaryState) -> QuantileSummary:
    rows = [(entry.value, entry.weight, entry.min_rank, entry.max_rank) for entry in message.entries]
    return QuantileSummary(np.array(rows, np.float32).reshape(-1, 4))


def summary_bytes(summary: QuantileSummary) -> bytes:
    """A summary as a serialized message."""
    message = boosted_tree_protos.QuantileSummaryState()
    _fill(message, summary)
    serialized: bytes = message.SerializeToString()
    return serialized


def parsed_summary(serialized: bytes | str) -> QuantileSummary:
    """The summary in a serialized message; InvalidArgumentError where it is none."""
    message = boosted_tree_protos.QuantileSummaryState()
    _parse(message, serialized)
    return _summary(message)


def parsed_config(serialized: bytes | str) -> QuantileConfig:
    """The `QuantileConfig` in a serialized message; InvalidArgumentError where it is none."""
    message = boosted_tree_protos.QuantileConfig()
    _parse(message, serialized)
    return message
