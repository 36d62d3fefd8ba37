"""Sessions: they keep state, plan what is asked of a graph, and run it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar

import torch

from headrace.core import errors, shutdown, slots
from headrace.core.defaults import default_session_stack
from headrace.core.eager import plain_graph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.devices.denormals import flush_denormals
from headrace.devices.memory import keep_freed_memory
from headrace.devices.threads import all_threads, one_thread, use_threads
from headrace.plan.place import check_devices
from headrace.plan.plan import Plan
from headrace.runtime import callables, configuration, failures, targets
from headrace.runtime.feeding import feeder
from headrace.runtime.fetching import FetchPlan, expand_feed
from headrace.runtime.outputs import to_output
from headrace.runtime.partial_run import PartialRun
from headrace.runtime.session_entries import (
    MOST_ENTRIES,
    Entry,
    batch_size_of,
    check_feeds,
    feed_keys,
    first_unfit,
    frozen,
    has_tuples,
    is_plain,
    split_feeds,
    with_operations,
)
from headrace.runtime.session_handles import handle_output
from headrace.runtime.session_interface import SessionInterface
from headrace.runtime.targets import engine_of
from headrace.util.compat import as_bytes

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.typing import Fetches
    from headrace.messages import protos


_InferenceMode = torch._C._InferenceMode
keep_freed_memory()

# Called with every new plan, for `headrace explain` and the like.
plan_listeners: list[Callable[[Plan], None]] = []


class BaseSession(SessionInterface):
    """What `Session` and `InteractiveSession` share.

    Args:
        target: the execution engine: the local one, '', or the target of a `tf.train.Server` of this process.
        graph: the graph to run; the default graph by default.
        config: a `ConfigProto`.

    Raises:
        TypeError: if an argument has a wrong type.
        NotImplementedError: if `config` asks for a cost model of steps that another process plans.
    """

    # What runs the steps of all sessions where a `tf.contrib.tfprof.ProfileContext` is in force.
    profile_context: ClassVar[Any] = None
    _places_whole_graph = True

    def __init__(self, target: str = "", graph: Graph | None = None, config: protos.ConfigProto | None = None) -> None:
        if graph is None:
            graph = plain_graph()
            graph.has_sessions = True
        elif not isinstance(graph, Graph):
            raise TypeError(f"graph must be a tf.Graph, but got {type(graph)}")
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f"target must be a string, but got {type(target)}")
        self._graph = graph
        self._target = target or ""
        self._engine = engine_of(self, target, graph, config)
        self._runtime, self._settings = self._engine.runtime, self._engine.settings
        self._given_config = config
        configuration.note_precision(config)
        every, after = self._settings.cost_model_every, self._settings.cost_model_after
        if every and self._engine.elsewhere:
            raise NotImplementedError(
                f"ConfigProto.graph_options.build_cost_model={every}: the server {self._target!r} plans the steps of this "
                "session, and they are measured in sessions of its own process only. Leave the option out here."
            )
        self._cost_models = slots.cost_models(every, after) if every else None
        self._entries: dict[Any, Entry] = {}
        self._partial_runs: dict[str, PartialRun] = {}
        # How many of the graph's operations have been found to ask for devices that are there.
        self._placed = 0
        self._closed = False
        self._ending: tuple[Callable[..., errors.OpError], str] | None = None
        self._lock = threading.RLock()
        self._opened = True

    # ---- properties ----

    @property
    def graph(self) -> Graph:
        """The graph this session runs."""
        return self._graph

    @functools.cached_property
    def _config(self) -> protos.ConfigProto:
        """The session's config; without one that of the process."""
        config: protos.ConfigProto = slots.session_config(self._given_config)
        return config

    @property
    def graph_def(self) -> protos.GraphDef:
        """The graph as a `GraphDef`."""
        return self._graph.as_graph_def(
            add_shapes=self._given_config is not None and self._given_config.graph_options.infer_shapes
        )

    @property
    def _session(self) -> Any:
        """What runs the graph, which 1.x keeps apart from the session: here it is the session's own."""
        return self._runtime

    @property
    def sess_str(self) -> bytes:
        """The target, as bytes."""
        return as_bytes(self._target)

    def list_devices(self) -> list[Any]:
        """The devices this session can use, as objects with `name`, `device_type` and `memory_limit_bytes`."""
        if self._closed:
            raise errors.CancelledError(None, None, "Session has been closed.")
        return list(self._runtime.devices())

    # ---- life ----

    def close(self) -> None:
        """Frees the state of this session; it cannot be run afterwards, and operations that wait are cancelled."""
        self._closed, self._ending = True, None
        self._runtime.waits.close()
        with self._lock:
            self._entries.clear()
            self._runtime.clear()

    def _abort(self) -> None:
        """Ends the session because what it shares has been reset; one that has not begun yet goes on."""
        with self._lock:
            if self._entries:
                self._closed, self._ending = True, (errors.AbortedError, f"Session {id(self):x} is not found.")
                self._entries.clear()
                self._runtime.waits.close()

    def _cancel(self) -> None:
        """Ends the session because all sessions of no server are ended."""
        BaseSession.close(self)
        self._ending = errors.CancelledError, "Session has been closed."

    def _check_open(self) -> None:
        if self._closed:
            if self._ending is not None:
                kind, message = self._ending
                raise kind(None, None, message)
            raise RuntimeError("Attempted to use a closed Session.")

    def as_default(self) -> AbstractContextManager[Any]:
        """A context in which this is the default session of the thread (it does not close the session)."""
        return default_session_stack().opened(self)

    def __del__(self) -> None:
        # Nothing outside the process to release: memory goes with the object.
        self._closed = True

    # ---- running ----

    def run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None = None,
        options: protos.RunOptions | None = None,
        run_metadata: protos.RunMetadata | None = None,
    ) -> Any:
        """Runs what `fetches` needs and returns its values.

        Args:
            fetches: a tensor, operation, variable, name or composite tensor, or a nested list, tuple, namedtuple or dict
                of them.
            feed_dict: tensors (placeholders or others) to values to use for them.
            options: a `RunOptions`; its trace level and timeout are followed.
            run_metadata: a `RunMetadata` to fill when tracing.

        Returns:
            the same structure with a NumPy array or scalar for each tensor and None for each operation.

        Raises:
            RuntimeError: if the session is closed.
            TypeError, ValueError: if a fetch or feed does not fit the graph.
            tf.errors.OpError: if an operation fails.

        Example:
            >>> x = tf.placeholder(tf.float32)
            >>> tf.Session().run(x * 2.0, {x: 3.0})
            6.0
        """
        if self.profile_context is not None:
            return self.profile_context.run(self, fetches, feed_dict, options, run_metadata)
        return self._run(fetches, feed_dict, options, run_metadata)

    def _run(
        self,
        fetches: Any,
        feed_dict: Mapping[Any, Any] | None,
        options: protos.RunOptions | None,
        run_metadata: protos.RunMetadata | None,
    ) -> Any:
        if self._closed:
            self._check_open()
        if options is not None or run_metadata is not None or not self._settings.plain_steps:
            return configuration.run_with_options(self, fetches, feed_dict, options, run_metadata)
        entry = self._entry(fetches, feed_dict)
        return self._run_entry(entry, entry.function, feed_dict)

    def _run_entry(self, entry: Entry, function: Callable[..., Any], feed_dict: Mapping[Any, Any] | None) -> Any:
        if feed_dict:
            if feed_dict.__class__ is not dict:
                check_feeds(feed_dict)
            values: Any = feed_dict.values()
            if entry.expand is not None:
                values = entry.expand(values)
            return self._execute(entry, function, values)
        return self._execute(entry, function, ())

    def _execute(self, entry: Entry, function: Callable[..., Any], values: Iterable[Any]) -> Any:
        """Calls the function of a plan with a value for each fed tensor and gives its results the form asked for."""
        results = self._results(entry, function, values)
        try:
            if entry.single:
                return entry.outputs[0](results[0])
            values_out = [output(result) for output, result in zip(entry.outputs, results, strict=True)]
        except Exception as error:
            raise failures.of_fetch(error, first_unfit(entry, results)) from error
        return entry.build(values_out)

    def _results(self, entry: Entry, function: Callable[..., Any], values: Iterable[Any]) -> Any:
        """Calls the function of a plan with a value for each fed tensor; what it returns are the kernels' values."""
        if shutdown.in_progress:
            shutdown.park_thread()
        arguments = [feed(value) for feed, value in zip(entry.feeders, values, strict=False)]
        threads = self._settings.threads
        if threads:
            outer_threads = use_threads(threads)
        one_thread()
        # Numbers too small to be normal count as 0, as in TensorFlow; arithmetic with them is a hundred times slower.
        flush_denormals(True)
        guard = _InferenceMode(True)
        try:
            return function(*arguments)
        except BaseException as error:
            raised = failures.explained(error, entry.plan)
            if raised is error:
                raise
            raise raised from None
        finally:
            del guard
            flush_denormals(False)
            if threads:
                use_threads(outer_threads)
            all_threads()

    def _entry(self, fetches: Any, feed_dict: Mapping[Any, Any] | None) -> Entry:
        kind = type(fetches)
        try:
            if kind is list:
                key: Any = (list, *fetches, 0, *feed_dict) if feed_dict else (list, *fetches)
            else:
                key = (fetches, 0, *feed_dict) if feed_dict else fetches
            entry = self._entries.get(key)
        except TypeError:
            key = (frozen(fetches), 0, *feed_keys(feed_dict))
            entry = self._entries.get(key)
        if entry is None and has_tuples(fetches):
            # Plain and named tuples of the same things are equal, but not the same fetch.
            key = (frozen(fetches), 0, *feed_keys(feed_dict))
            entry = self._entries.get(key)
        if entry is None or entry.changes != self._graph._changes:
            entry = self._keep(key, self._make_entry(fetches, feed_dict))
        return entry

    def _watched_entry(
        self, fetches: Fetches, feed_dict: Mapping[Any, Any] | None, planner: Callable[..., Plan]
    ) -> Entry:
        """As `_entry`, with a plan of another kind."""
        self._engine.check_here()
        key = (planner, frozen(fetches), 0, *feed_keys(feed_dict))
        entry = self._entries.get(key)
        if entry is None or entry.changes != self._graph._changes:
            entry = self._keep(key, self._make_entry(fetches, feed_dict, planner))
        return entry

    def _keep(self, key: Any, entry: Entry) -> Entry:
        """Keeps a new entry, in the place of the oldest where there are as many as a session keeps."""
        with self._lock:
            # One that is in use still is planned again: once in as many new combinations as are kept.
            while len(self._entries) >= MOST_ENTRIES:
                del self._entries[next(iter(self._entries))]
            self._entries[key] = entry
        return entry

    def _make_entry(
        self, fetches: Fetches | None, feed_dict: Mapping[Any, Any] | None, planner: Callable[..., Plan] | None = None
    ) -> Entry:
        with self._lock:
            if self._ending is not None:
                self._check_open()
            if not self._graph.version:
                raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
            check_feeds(feed_dict)
            tensors: list[Tensor] = []
            splits: list[Callable[[Any], list[Any]] | None] = []
            for key in feed_dict or ():
                expanded, split = expand_feed(self._graph, key)
                tensors.extend(expanded)
                splits.append(split)
            # After what is fed, whose mistakes are told first.
            fetch_plan = FetchPlan(self._graph, fetches)
            if self._places_whole_graph and self._settings.places_whole_graph and not self._engine.elsewhere:
                added = self._graph._operations[self._placed :]
                check_devices(added, self._runtime)
                self._placed += len(added)
            composite, fed = any(split is not None for split in splits), set(map(id, tensors))
            plan = (planner or self._engine.planner)(
                fetch_plan.elements, tensors, self._runtime, batch_size_of(feed_dict)
            )
            for listener in plan_listeners:
                listener(plan)
            # Operations have no value, so the plan returns fewer values than there are elements.
            outputs: list[Callable[[Any], Any]] = []
            positions: list[int | None] = []
            for element in fetch_plan.elements:
                positions.append(len(outputs) if isinstance(element, Tensor) else None)
                if isinstance(element, Tensor) and element.op.decl.gives_session_handle:
                    outputs.append(handle_output(element, self))
                elif isinstance(element, Tensor):
                    facts = plan.shared[len(outputs)], plan.array_fetches[len(outputs)], id(element) in fed
                    outputs.append(to_output(element, *facts))
            return Entry(
                plan=plan,
                function=plan.function,
                feeders=[feeder(*fed) for fed in zip(tensors, plan.array_feeds, strict=True)],
                expand=(lambda values: split_feeds(splits, values)) if composite else None,
                outputs=outputs,
                fetched=[element for element in fetch_plan.elements if isinstance(element, Tensor)],
                build=with_operations(fetch_plan.build, positions),
                single=positions == [0] and is_plain(fetches),
                changes=self._graph._changes,
                keep=(fetches, list(feed_dict or ())),
            )

    def partial_run_setup(self, fetches: Fetches, feeds: Sequence[Any] | None = None) -> str:
        """Prepares a run that is taken in steps.

        Args:
            fetches: all that will be fetched, as in `run`.
            feeds: the tensors that will be fed.

        Returns:
            a handle for `partial_run`.

        Raises:
            InvalidArgumentError: if there is nothing to fetch.

        Example:
            >>> a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
            >>> r1 = a + b
            >>> r2 = r1 * c
            >>> h = sess.partial_run_setup([r1, r2], [a, b, c])
            >>> first = sess.partial_run(h, r1, feed_dict={a: 1, b: 2})
            >>> sess.partial_run(h, r2, feed_dict={c: first})
            9.0
        """
        self._check_open()
        run = self._engine.partial_run(self, fetches, list(feeds or ()))
        self._partial_runs[run.handle] = run
        return run.handle

    def partial_run(self, handle: str, fetches: Fetches, feed_dict: Mapping[Any, Any] | None = None) -> Any:
        """Continues a run that was set up: feeds some tensors and returns some fetches, each once.

        Args:
            handle: what `partial_run_setup` returned.
            fetches: among those set up; what they need must have been fed by now.
            feed_dict: tensors among those set up to their values.

        Returns:
            as `run`.

        Raises:
            InvalidArgumentError: if something is fed or fetched twice, was not set up, or cannot be computed yet.
        """
        self._check_open()
        if handle is not None and not isinstance(handle, str):
            raise TypeError(f"Session.partial_run: handle is what partial_run_setup() returned, got {handle!r}.")
        run = self._partial_runs.get(handle)
        if run is None:
            raise errors.InvalidArgumentError(None, None, "Must run 'setup' before performing partial runs!")
        result = run.step(fetches, feed_dict)
        if run.finished:
            del self._partial_runs[handle]
        return result

    def make_callable(
        self, fetches: Fetches, feed_list: Sequence[Any] | None = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """A function of the values of `feed_list` that runs `fetches`.

        Args:
            fetches: as in `run`.
            feed_list: the tensors to feed, in the order of the function's arguments.
            accept_options: whether the function also takes `options` and `run_metadata` keywords; with feeds it always
                does.

        Returns:
            the function; call it as `f(*values)`.

        Raises:
            TypeError: if `feed_list` is not a list or tuple.
        """
        return callables.of_fetches(self, fetches, feed_list, accept_options)

    def _make_callable_from_options(self, callable_options: protos.CallableOptions) -> Callable[..., list[Any]]:
        return callables.of_options(self, callable_options)

    def plan_for(self, fetches: Fetches, feeds: Sequence[Any] = ()) -> Plan:
        """The plan of `fetches` when the tensors in `feeds` are fed: its `source` can be read."""
        return self._make_entry(fetches, dict.fromkeys(feeds)).plan


class Session(BaseSession):
    """Runs the operations of a graph and keeps the values of its variables.

    Args:
        target: the execution engine: the local one, '', or the target of a `tf.train.Server` of this process.
        graph: the graph to run; the default graph by default.
        config: a `ConfigProto`: `device_count`, `allow_soft_placement`, `log_device_placement` and
            `intra_op_parallelism_threads` are followed.

    Example:
        >>> with tf.Session() as sess:
        ...     sess.run(tf.constant(5.0) * 6.0)
        30.0
    """

    def __init__(self, target: str = "", graph: Graph | None = None, config: protos.ConfigProto | None = None) -> None:
        super().__init__(target, graph, config)
        self._contexts: list[tuple[Any, Any]] = []

    def __enter__(self) -> Session:
        if self._contexts:
            raise RuntimeError("Session context managers are not re-entrant: use `with session.as_default()` inside.")
        self._contexts.append((self._graph.as_default(), self.as_default()))
        for context in self._contexts[0]:
            context.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._contexts:
            raise AssertionError("Nesting violated: the session is left that no `with` has entered, or twice.")
        graph_context, session_context = self._contexts.pop()
        try:
            session_context.__exit__(kind, error, traceback)
            graph_context.__exit__(kind, error, traceback)
        finally:
            self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: protos.ConfigProto | None = None) -> None:
        """Forgets the state that sessions of a server share; without a server, ends all sessions of this process.

        Args:
            target: the server's target; "" for sessions that have none, which raise `CancelledError` from then on.
            containers: the containers whose variables to forget; all of the state by default.
            config: a `ConfigProto`, whose time limit and device filters are followed.

        Raises:
            NotFoundError: if no server has this target.
        """
        targets.reset(target, containers, config)


__all__ = ["BaseSession", "Operation", "Session", "SessionInterface", "errors"]
