"""Functions that run the same fetches of a session again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.runtime.fetching import FetchPlan

if TYPE_CHECKING:
    from headrace.core.typing import Fetches
    from headrace.messages import protos
    from headrace.runtime.session import BaseSession
    from headrace.runtime.session_entries import Entry


def of_fetches(
    session: BaseSession, fetches: Fetches, feed_list: Sequence[Any] | None, accept_options: bool
) -> Callable[..., Any]:
    """What `Session.make_callable` returns, which tells the arguments."""
    if feed_list is not None and not isinstance(feed_list, (list, tuple)):
        raise TypeError("`feed_list` must be a list or tuple.")
    keys = list(feed_list or ())
    # What cannot be fetched shows here, not in the first call.
    FetchPlan(session._graph, fetches)
    graph, count = session._graph, len(keys)
    prepared: Entry | None = None

    def call(*values: Any, **keywords: Any) -> Any:
        nonlocal prepared
        entry = prepared
        if session._closed:
            # With feeds TensorFlow's goes by `run`.
            if keys or session._ending is not None:
                session._check_open()
            raise errors.CancelledError(None, None, "Session has been closed.")
        if entry is not None and entry.changes == graph._changes and len(values) == count and not keywords:
            return session._execute(entry, entry.function, values)
        if len(values) > count:
            raise TypeError(f"Expected {len(keys)} arguments for the feeds {keys}, got {len(values)}.")
        if keywords and not (accept_options or keys):
            raise TypeError(f"Unexpected keyword arguments {sorted(keywords)}; pass accept_options=True to allow them.")
        # What is left out is missed by its placeholder.
        feed_dict = dict(zip(keys, values, strict=False))
        result = session.run(fetches, feed_dict, **keywords)
        if len(values) == count and not (keywords or not session._settings.plain_steps):
            entry = session._entry(fetches, feed_dict)
            prepared = entry if entry.expand is None and len(entry.feeders) == count else None
        return result

    return call


def of_options(session: BaseSession, callable_options: protos.CallableOptions) -> Callable[..., list[Any]]:
    """A function of the values of the feeds that a `CallableOptions` names, which gives a list of its fetches.

    Raises:
        NotImplementedError: for connections of tensors.
    """
    if callable_options.tensor_connection:
        raise NotImplementedError("CallableOptions.tensor_connection: feed the tensor that is connected instead.")
    feeds, fetches = list(callable_options.feed), list(callable_options.fetch)
    everything = [
        fetches,
        [session._graph.get_operation_by_name(name.partition(":")[0]) for name in callable_options.target],
    ]
    plain = not callable_options.HasField("run_options")
    run = session.make_callable(everything, feeds, accept_options=True)

    def call(*values: Any, run_metadata: protos.RunMetadata | None = None) -> list[Any]:
        if len(values) != len(feeds):
            raise errors.InvalidArgumentError(None, None, f"Expected {len(feeds)} feed tensors, but got {len(values)}")
        if plain and run_metadata is None:
            return run(*values)[0]
        return run(*values, options=callable_options.run_options, run_metadata=run_metadata)[0]

    return call
