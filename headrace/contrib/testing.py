"""`tf.contrib.testing`: a writer of summaries that keeps them, and what tests read of event files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.files.events import summary_iterator
from headrace.messages import protos
from headrace.summary.writer import FileWriterCache
from headrace.testing.graph_comparison import assert_meta_graph_protos_equal

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.testing.assertions import Assertions

# How many steps a session made in a second is written by a thread of its own, in as many steps as it happens to be.
_RATE = "global_step/sec"


class FakeSummaryWriter:
    """A `tf.summary.FileWriter` that keeps in memory what it is given, for tests.

    Args:
        logdir: the folder that a file writer would write to; nothing is written.
        graph: the graph it is made with.

    Example:
        >>> writer = tf.contrib.testing.FakeSummaryWriter("logs")
        >>> writer.add_summary(tf.Summary(value=[{"tag": "loss", "simple_value": 0.5}]), 3)
        >>> writer.summaries[3][0].value[0].tag
        'loss'
    """

    def __init__(self, logdir: str, graph: Graph | None = None) -> None:
        self._logdir = logdir
        self._graph = graph
        self._summaries: dict[Any, list[protos.Summary]] = {}
        self._added_graphs: list[Any] = []
        self._added_meta_graphs: list[protos.MetaGraphDef] = []
        self._added_session_logs: list[Any] = []
        self._added_run_metadata: dict[str, Any] = {}

    @classmethod
    def install(cls) -> None:
        """Lets `tf.summary.FileWriterCache` make writers of this class, until `uninstall`.

        Raises:
            ValueError: if it does so already.
        """
        if FileWriterCache.stand_in is not None:
            raise ValueError("FakeSummaryWriter is installed already; call uninstall() first.")
        FileWriterCache.stand_in = FakeSummaryWriter

    @classmethod
    def uninstall(cls) -> None:
        """Lets `tf.summary.FileWriterCache` make file writers again.

        Raises:
            ValueError: if it does so already.
        """
        if FileWriterCache.stand_in is None:
            raise ValueError("FakeSummaryWriter is not installed; call install() first.")
        FileWriterCache.stand_in = None

    @property
    def summaries(self) -> dict[Any, list[protos.Summary]]:
        """From steps to the summaries of each."""
        return self._summaries

    def assert_summaries(
        self,
        test_case: Assertions,
        expected_logdir: str | None = None,
        expected_graph: Graph | None = None,
        expected_summaries: dict[Any, dict[str, float]] | None = None,
        expected_added_graphs: list[Any] | None = None,
        expected_added_meta_graphs: list[protos.MetaGraphDef] | None = None,
        expected_session_logs: list[Any] | None = None,
    ) -> None:
        """Checks in a test case what was added. What is None is not looked at.

        Args:
            test_case: a `tf.test.TestCase`.
            expected_logdir: the folder.
            expected_graph: the very graph that the writer was made with.
            expected_summaries: from steps to all simple values of a step, by tag. There may be other steps.
            expected_added_graphs: the graphs that were added, in their order.
            expected_added_meta_graphs: the MetaGraphDefs, in theirs.
            expected_session_logs: the session logs, in theirs.

        Raises:
            AssertionError: if it was something else.
        """
        if expected_logdir is not None:
            test_case.assertEqual(expected_logdir, self._logdir)
        if expected_graph is not None:
            test_case.assertIs(self._graph, expected_graph)
        for step, values in (expected_summaries or {}).items():
            test_case.assertIn(step, self._summaries, f"There are summaries of the steps {sorted(self._summaries)}.")
            found = {value.tag: value.simple_value for summary in self._summaries[step] for value in summary.value}
            found.pop(_RATE, None)
            test_case.assertEqual(values, found)
        if expected_added_graphs is not None:
            test_case.assertEqual(expected_added_graphs, self._added_graphs)
        if expected_added_meta_graphs is not None:
            test_case.assertEqual(len(expected_added_meta_graphs), len(self._added_meta_graphs))
            for expected, added in zip(expected_added_meta_graphs, self._added_meta_graphs, strict=True):
                assert_meta_graph_protos_equal(test_case, expected, added)
        if expected_session_logs is not None:
            test_case.assertEqual(expected_session_logs, self._added_session_logs)

    def add_summary(self, summ: protos.Summary | bytes, current_global_step: Any) -> None:
        """Keeps a summary, which may be serialized, with the others of its step."""
        summary = to_summary_proto(summ) if isinstance(summ, bytes) else summ
        self._summaries.setdefault(current_global_step, []).append(summary)

    def add_graph(self, graph: Any, global_step: int | None = None, graph_def: None = None) -> None:
        """Keeps a graph.

        Raises:
            ValueError: for a step below 0, and for a `graph_def`.
        """
        _check_step(global_step)
        if graph_def is not None:
            raise ValueError(f"add_graph takes a graph, and no graph_def, got {graph_def}")
        self._added_graphs.append(graph)

    def add_meta_graph(self, meta_graph_def: protos.MetaGraphDef, global_step: int | None = None) -> None:
        """Keeps a MetaGraphDef.

        Raises:
            ValueError: for a step below 0.
        """
        _check_step(global_step)
        self._added_meta_graphs.append(meta_graph_def)

    def add_session_log(self, session_log: Any, global_step: int | None = None) -> None:
        """Keeps a session log; the step of it, which differs from run to run, is not kept."""
        self._added_session_logs.append(session_log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: int | None = None) -> None:
        """Keeps the metadata of a run by its tag.

        Raises:
            ValueError: for a step below 0.
        """
        _check_step(global_step)
        self._added_run_metadata[tag] = run_metadata

    def flush(self) -> None:
        """Nothing: nothing is written."""

    def reopen(self) -> None:
        """Nothing: it is never closed."""

    def close(self) -> None:
        """Nothing: what was added stays."""


def _check_step(step: int | None) -> None:
    if step is not None and step < 0:
        raise ValueError(f"Invalid global_step {step}: steps are 0 and more.")


def to_summary_proto(summary_str: bytes) -> protos.Summary:
    """The `tf.Summary` that was serialized, as summary ops give it.

    Raises:
        google.protobuf.message.DecodeError: if it is none.
    """
    return protos.Summary.FromString(summary_str)


def assert_summary(
    expected_tags: Iterable[str], expected_simple_values: dict[str, float], summary_proto: protos.Summary
) -> None:
    """Checks the tags of a summary and some of its values.

    Args:
        expected_tags: all of its tags.
        expected_simple_values: from tags to simple values, which agree to two decimals.
        summary_proto: a `tf.Summary`.

    Raises:
        AssertionError: for another value; ValueError: for other tags.
    """
    for value in summary_proto.value:
        if value.tag in expected_simple_values:
            expected = expected_simple_values[value.tag]
            np.testing.assert_almost_equal(value.simple_value, expected, decimal=2, err_msg=value.tag)
    tags = {value.tag for value in summary_proto.value}
    if tags != set(expected_tags):
        raise ValueError(f"The summary has the tags {sorted(tags)}, expected {sorted(set(expected_tags))}.")


def latest_event_file(base_dir: str) -> str | None:
    """The path of the event file in a folder that is last by its name, None if there is none."""
    return max(glob.glob(os.path.join(base_dir, "events.*")), default=None)


def latest_events(base_dir: str) -> Iterable[protos.Event]:
    """The events of the last event file in a folder, none if there is no file."""
    path = latest_event_file(base_dir)
    return [] if path is None else summary_iterator(path)


def latest_summaries(base_dir: str) -> list[protos.Event]:
    """Those events of the last event file in a folder that hold a summary."""
    return [event for event in latest_events(base_dir) if event.HasField("summary")]


def simple_values_from_events(events: Iterable[protos.Event], tags: Iterable[str]) -> dict[str, float]:
    """The last simple value of each tag, last by the step.

    Args:
        events: `tf.Event` messages; those without a summary are passed over.
        tags: the tags that are asked for. One that no event has is not in the result.

    Raises:
        ValueError: if the value of a tag is no simple value.
    """
    wanted = frozenset(tags)
    latest: dict[str, tuple[int, float]] = {}
    for event in events:
        for value in event.summary.value:
            if value.tag not in wanted:
                continue
            if not value.HasField("simple_value"):
                raise ValueError(f"The value of {value.tag!r} is no simple_value, it is a {value.WhichOneof('value')}.")
            if value.tag not in latest or event.step > latest[value.tag][0]:
                latest[value.tag] = event.step, value.simple_value
    return {tag: value for tag, (_, value) in latest.items()}
