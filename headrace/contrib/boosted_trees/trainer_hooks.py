"""Hooks for the training of trees: summaries of features, a fixed feed, a count of trees to stop at, a change of steps."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import get_default_graph
from headrace.core.tensor import Tensor
from headrace.messages.protos import Summary
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.global_step import get_or_create_global_step
from headrace.summary.writer import FileWriterCache
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import SessionLike
    from headrace.state.variables import Variable

SummaryWriterCache = FileWriterCache


class FeatureImportanceSummarySaver(SessionRunHook):
    """Writes how often features are split by, and what their splits gain: a folder of event files for each feature.

    The graph has the tensors gbdt/feature_names, gbdt/feature_usage_counts and gbdt/feature_gains.

    Args:
        model_dir: the folder of the model.
        every_n_steps: how often.

    Raises:
        ValueError: if `model_dir` is None.
    """

    def __init__(self, model_dir: str | None, every_n_steps: int = 1) -> None:
        if model_dir is None:
            raise ValueError("model dir must be specified.")
        self._model_dir, self._every_n_steps = model_dir, every_n_steps
        self._last_triggered_step: int | None = None

    def begin(self) -> None:
        self._global_step_tensor = get_or_create_global_step()
        graph = get_default_graph()
        names = ("feature_names", "feature_usage_counts", "feature_gains")
        self._feature_tensors = {name: graph.get_tensor_by_name(f"gbdt/{name}:0") for name in names}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        del run_context
        return SessionRunArgs({"global_step": self._global_step_tensor, **self._feature_tensors})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        results = run_values.results
        step = int(results["global_step"])
        if self._last_triggered_step is not None and step < self._last_triggered_step + self._every_n_steps:
            return
        counts, gains = results["feature_usage_counts"], results["feature_gains"]
        for name, count, gain in zip(results["feature_names"], counts, gains, strict=True):
            folder = os.path.join(self._model_dir, name.decode())
            writer = FileWriterCache.get(folder)
            for tag, value in (("feature_importance/usage_counts", count), ("feature_importance/gains", gain)):
                writer.add_summary(Summary(value=[Summary.Value(tag=tag, simple_value=float(value))]), step)
        self._last_triggered_step = step


class FeedFnHook(SessionRunHook):
    """Feeds each step what a function gives.

    Args:
        feed_fn: takes nothing and returns a feed dict.
    """

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any]]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        del run_context
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class StopAfterNTrees(SessionRunHook):
    """Stops when there are enough trees, or when twice as many were begun, of which too few found splits.

    Args:
        n: how many trees.
        num_attempted_trees_tensor: how many were begun.
        num_finished_trees_tensor: how many are finished.
        override_global_step_value: what the global step is set to at the end, if it is not None.
    """

    def __init__(
        self,
        n: int,
        num_attempted_trees_tensor: Tensor | Variable,
        num_finished_trees_tensor: Tensor | Variable,
        override_global_step_value: int | None = None,
    ) -> None:
        self._num_trees = n
        self._num_attempted_trees_tensor = num_attempted_trees_tensor
        self._num_finished_trees_tensor = num_finished_trees_tensor
        self._override_global_step_value = override_global_step_value

    def begin(self) -> None:
        self._override_op: Operation | None = None
        if self._override_global_step_value is not None:
            self._override_op = get_or_create_global_step().assign(self._override_global_step_value)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        del run_context
        return SessionRunArgs([self._num_attempted_trees_tensor, self._num_finished_trees_tensor])

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        attempted, finished = run_values.results
        if finished < self._num_trees and attempted <= 2 * self._num_trees:
            return
        tf_logging.info(
            "Requesting stop since we have reached %d finished trees and %d attempted trees.", finished, attempted
        )
        run_context.request_stop()
        if self._override_op is not None:
            run_context.session.run(self._override_op)


class SwitchTrainOp(SessionRunHook):
    """Runs one operation in the first steps, and another afterwards.

    Args:
        first_train_op: runs first.
        train_steps: in how many steps.
        second_train_op: runs afterwards.
    """

    def __init__(self, first_train_op: Operation, train_steps: int, second_train_op: Operation) -> None:
        self._first_train_op, self._second_train_op, self._train_steps = first_train_op, second_train_op, train_steps

    def begin(self) -> None:
        self._global_step_tensor = get_or_create_global_step()
        self._current_train_op = self._first_train_op

    def after_create_session(self, session: SessionLike, coord: object) -> None:
        del coord
        if session.run(self._global_step_tensor) >= self._train_steps:
            self._current_train_op = self._second_train_op

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        del run_context
        return SessionRunArgs({"global_step": self._global_step_tensor, "train_op": self._current_train_op})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        del run_context
        if run_values.results["global_step"] + 1 >= self._train_steps:
            self._current_train_op = self._second_train_op
