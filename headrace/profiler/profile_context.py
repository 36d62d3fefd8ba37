"""Profiles of whatever sessions run inside of a block."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import get_default_graph
from headrace.core.errors import InternalError
from headrace.messages import protos
from headrace.profiler.analyzer import Profiler
from headrace.runtime.session import BaseSession
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import FeedDict, Fetches
    from headrace.profiler.options import Options


# The first steps of a program are not like those after them.
WARMUP_STEPS = 10
MAX_TRACED_STEPS = 100

_VIEWS = {
    "graph": Profiler.profile_graph,
    "scope": Profiler.profile_name_scope,
    "op": Profiler.profile_operations,
    "code": Profiler.profile_python,
}


class ProfileContext:
    """A block whose steps are traced and profiled, of all sessions: for code that runs them itself.

    Steps are the calls of `Session.run`, counted from 0.

    Args:
        profile_dir: where profiles are written, as `profile_<step>`.
        trace_steps: which steps are traced; by default the first of each fetch after ten steps.
        dump_steps: after which steps a profile is written; 100 by default.
        enabled: whether to do anything at all.
        debug: whether to say what is done, and to write the `RunMetadata` of traced steps as `run_meta_<step>`.

    Raises:
        ValueError: without a `profile_dir`.

    Example:
        >>> with tf.contrib.tfprof.ProfileContext("profiles", trace_steps=[0], dump_steps=[0]) as context:
        ...     value = sess.run(loss)
        >>> os.listdir("profiles")
        ['profile_0']
    """

    def __init__(
        self,
        profile_dir: str,
        trace_steps: Iterable[int] | None = None,
        dump_steps: Iterable[int] | None = None,
        enabled: bool = True,
        debug: bool = False,
    ) -> None:
        if enabled and not profile_dir:
            raise ValueError("Must have a directory for profile.")
        self._enabled = enabled
        self._debug = debug
        self._folder = profile_dir
        self._trace_steps = None if trace_steps is None else set(trace_steps)
        self._dump_steps = {100} if dump_steps is None else set(dump_steps)
        self._trace_next = self._dump_next = False
        self._automatic: list[tuple[str, Options, set[int]]] = []
        self._views: dict[str, dict[int, Any]] = {}
        self._profiler: Profiler | None = None
        self._traced: set[Any] = set()
        self._traced_steps = 0
        self._step = 0
        self._lock = threading.Lock()

    @property
    def profiler(self) -> Profiler | None:
        """A `Profiler` with the steps that have been traced; None if nothing is done."""
        return self._profiler_of(get_default_graph()) if self._enabled else None

    def _profiler_of(self, graph: Graph) -> Profiler:
        if self._profiler is None:
            self._profiler = Profiler(graph)
        return self._profiler

    def add_auto_profiling(self, cmd: str, options: Options, profile_steps: Iterable[int]) -> None:
        """Has profiles made after some steps.

        Args:
            cmd: the view: "graph", "scope", "op" or "code".
            options: those of the profile.
            profile_steps: the steps.
        """
        if self._enabled:
            self._automatic.append((cmd, options, set(profile_steps)))

    def get_profiles(self, cmd: str) -> dict[int, Any]:
        """The profiles that have been made of a view, by step.

        Raises:
            ValueError: if there is none.
        """
        if cmd not in self._views:
            raise ValueError(f"No autoprofiler for command: {cmd}, was run")
        return self._views[cmd]

    def trace_next_step(self) -> None:
        """Has the next step traced."""
        self._trace_next = True

    def dump_next_step(self) -> None:
        """Has a profile written after the next step."""
        self._dump_next = True

    def run(
        self,
        session: BaseSession,
        fetches: Fetches,
        feed_dict: FeedDict | None,
        options: protos.RunOptions | None,
        run_metadata: protos.RunMetadata | None,
    ) -> Any:
        """Runs a step as `BaseSession.run` does, and profiles it where that is its turn."""
        # What other threads run in the meantime counts, but is not looked at.
        alone = self._lock.acquire(blocking=False)
        try:
            if not alone or not self._concerned(self._step, session.graph, fetches):
                return session._run(fetches, feed_dict, options, run_metadata)
            return self._profiled(session, fetches, feed_dict, options, run_metadata)
        finally:
            self._step += 1
            if alone:
                self._lock.release()

    def _concerned(self, step: int, graph: Graph, fetches: Any) -> bool:
        return (
            self._dump_next
            or step in self._dump_steps
            or any(step in steps for _, _, steps in self._automatic)
            or self._traces(step, graph, fetches)
        )

    def _traces(self, step: int, graph: Graph, fetches: Any) -> bool:
        if self._trace_next:
            return True
        if self._trace_steps is not None:
            return step in self._trace_steps
        return (
            step > WARMUP_STEPS
            and self._traced_steps < MAX_TRACED_STEPS
            and (id(graph), str(fetches)) not in self._traced
        )

    def _profiled(
        self,
        session: BaseSession,
        fetches: Fetches,
        feed_dict: FeedDict | None,
        options: protos.RunOptions | None,
        run_metadata: protos.RunMetadata | None,
    ) -> Any:
        step, graph = self._step, session.graph
        profiler = self._profiler_of(graph)
        if self._traces(step, graph, fetches):
            self._trace_next = False
            self._traced.add((id(graph), str(fetches)))
            self._traced_steps += 1
            self._say("tracing", step)
            metadata = protos.RunMetadata() if run_metadata is None else run_metadata
            chosen = protos.RunOptions()
            if options is not None:
                chosen.CopyFrom(options)
            chosen.trace_level = protos.RunOptions.FULL_TRACE
            value = session._run(fetches, feed_dict, chosen, metadata)
            if self._debug:
                self._write(f"run_meta_{step}", metadata.SerializeToString())
            profiler.add_step_of(graph, step, metadata)
        else:
            value = session._run(fetches, feed_dict, options, run_metadata)
        if self._dump_next or step in self._dump_steps:
            self._dump_next = False
            self._say("dumping", step)
            self._write(f"profile_{step}", profiler.serialize_to_string())
        for cmd, chosen_options, steps in self._automatic:
            if step in steps:
                if cmd not in _VIEWS:
                    raise ValueError(f"Unknown cmd: {cmd}; there are {sorted(_VIEWS)}")
                self._say(f"profiling {cmd}", step)
                self._views.setdefault(cmd, {})[step] = _VIEWS[cmd](profiler, chosen_options)
        return value

    def _say(self, what: str, step: int) -> None:
        if self._debug:
            tf_logging.info("ProfileContext: %s step %d", what, step)

    def _write(self, name: str, data: bytes) -> None:
        os.makedirs(self._folder, exist_ok=True)
        with open(os.path.join(self._folder, name), "wb") as file:
            file.write(data)

    def __enter__(self) -> ProfileContext:
        if self._enabled:
            if BaseSession.profile_context is not None:
                raise InternalError(
                    None, None, "Already in context: a ProfileContext is in force, and they do not nest."
                )
            BaseSession.profile_context = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._enabled:
            BaseSession.profile_context = None
