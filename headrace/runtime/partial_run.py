"""`Session.partial_run`: one run taken in steps, in which every operation runs once, when its inputs have been fed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.core import errors
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.plan.plan import Plan, make_plan
from headrace.runtime import failures
from headrace.runtime.feeding import feeder
from headrace.runtime.fetching import FetchPlan, expand_feed, refuse_fed_fetches
from headrace.runtime.outputs import to_output
from headrace.runtime.session_handles import handle_output

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import Fetches
    from headrace.runtime.session_handles import TensorHandle


_numbers = itertools.count(1)


class PartialRun:
    """What has been fed, computed and fetched so far in one run that is taken in steps.

    Args:
        session: the session.
        fetches: all that will be fetched, as `Session.run` takes it.
        feeds: the tensors that will be fed.

    Attributes:
        handle: the name by which the steps refer to it.
    """

    def __init__(self, session: Any, fetches: Fetches, feeds: Sequence[Any]) -> None:
        self._session = session
        graph = session.graph
        if not graph.version:
            raise RuntimeError("The Session graph is empty. Add operations to the graph before calling run().")
        self._fetches = list(FetchPlan(graph, fetches).elements)
        self._feeds: list[Tensor] = []
        for feed in feeds:
            self._feeds.extend(expand_feed(graph, feed)[0])
        if not self._fetches:
            raise errors.InvalidArgumentError(None, None, "Must specify at least one target to fetch or execute.")
        refuse_fed_fetches(self._fetches, self._feeds)
        self._whole = _before(self._fetches, set(self._feeds), set())
        # The values held for later steps, the operations that have run, what was fed and fetched.
        self._values: dict[Tensor, Any] = {}
        self._done: set[Operation] = set()
        self._fed: set[Tensor] = set()
        self._fetched: set[Any] = set()
        names = ",".join(tensor.name for tensor in self._feeds)
        fetch_names = ",".join(item.name for item in self._fetches)
        self.handle = f"{names}->{fetch_names}/{next(_numbers)}"

    @property
    def finished(self) -> bool:
        """Whether everything has been fetched."""
        return self._fetched.issuperset(self._fetches)

    def step(self, fetches: Fetches, feed_dict: Mapping[Any, Any] | None) -> Any:
        """Feeds, runs what can run now, and returns what is fetched."""
        graph = self._session.graph
        plan = FetchPlan(graph, fetches)
        given: list[tuple[Tensor, Any]] = []
        for key, value in (feed_dict or {}).items():
            expanded, split = expand_feed(graph, key)
            given.extend(zip(expanded, split(value) if split is not None else [value], strict=True))
        values = {tensor: feeder(tensor)(value) for tensor, value in given}
        self._check(plan.elements, values)
        self._values.update(values)
        self._fed.update(values)
        results = self._run(plan.elements)
        self._fetched.update(plan.elements)
        return plan.build(results)

    def _check(self, fetches: Sequence[Any], given: Mapping[Tensor, Any]) -> None:
        for tensor in given:
            if tensor not in self._feeds:
                raise _refused(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if tensor in self._fed:
                raise _refused(f"The feed {tensor.name} has already been fed.")
        known = {*self._values, *given}
        for fetch in fetches:
            if fetch not in self._fetches:
                raise _refused(f"The fetch {fetch.name} was not specified in partial_run_setup.")
            if fetch in self._fetched:
                raise _refused(f"The fetch {fetch.name} has already been fetched.")
            missing = [t for t in self._feeds if t not in known and t.op in _before([fetch], known, self._done)]
            if missing:
                raise _refused(f"Fetch {missing[0].name} can't be computed from the feeds that have been fed so far.")

    def _run(self, fetches: Sequence[Tensor | Operation]) -> list[Any]:
        remaining = [item for item in fetches if item not in self._values and item not in self._done]
        running = _before(remaining, set(self._values), self._done)
        kept = self._kept_for_later(running)
        asked = [*remaining, *(tensor for tensor in kept if tensor not in remaining)]
        if asked:
            held = list(self._values)
            runtime = self._session._runtime
            plan = make_plan(asked, held, runtime, done=self._done)
            results = _called(plan, [self._values[tensor] for tensor in held])
            tensors = [item for item in asked if isinstance(item, Tensor)]
            self._values.update(zip(tensors, results, strict=True))
            self._done.update(op for op in running if op.decl.binding_rule is None)
        return [None if isinstance(item, Operation) else self._output(item) for item in fetches]

    def _output(self, tensor: Tensor) -> TensorHandle | np.floating[Any]:
        made = handle_output(tensor, self._session) if tensor.op.decl.gives_session_handle else to_output(tensor, True)
        try:
            return made(self._values[tensor])
        except Exception as error:
            raise failures.of_fetch(error, tensor) from error

    def _kept_for_later(self, running: set[Operation]) -> list[Tensor]:
        """The values made now that operations of later steps take."""
        later = self._whole - running - self._done
        kept = dict.fromkeys(
            tensor
            for op in later
            for tensor in op.inputs
            if tensor.op in running and tensor.op.decl.binding_rule is None and not tensor.dtype._is_ref_dtype
        )
        kept.update(dict.fromkeys(t for t in self._fetches if isinstance(t, Tensor) and t.op in running))
        return list(kept)


def _called(plan: Plan, arguments: list[Any]) -> tuple[Any, ...]:
    guard = torch._C._InferenceMode(True)
    function: Callable[..., tuple[Any, ...]] = plan.function
    try:
        return function(*arguments)
    except BaseException as error:
        raised = failures.explained(error, plan)
        if raised is error:
            raise
        raise raised from None
    finally:
        del guard


def _refused(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, message)


def _before(fetches: Sequence[Any], known: set[Tensor], done: set[Operation]) -> set[Operation]:
    """The operations that have to run for `fetches` when the tensors in `known` have values."""
    found: set[Operation] = set()
    pending = [item.op if isinstance(item, Tensor) else item for item in fetches if item not in known]
    while pending:
        op = pending.pop()
        if op in found or op in done:
            continue
        found.add(op)
        pending.extend(tensor.op for tensor in op.inputs if tensor not in known)
        pending.extend(op.control_inputs)
    return found
