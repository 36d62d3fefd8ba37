"""What sessions around others are asked about each run, and what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.messages import protos
from headrace.runtime.session import BaseSession
from headrace.sessions.monitored_session import _MonitoredSession

if TYPE_CHECKING:
    from headrace.core.typing import Fetches
    from headrace.runtime.session import Session


class OnSessionInitAction:
    """What a wrapper does once it has its session."""

    PROCEED = "proceed"
    REMOTE_INSTR_LOOP = "remote_instr_loop"


class OnRunStartAction:
    """What a wrapper does with a run."""

    DEBUG_RUN = "debug_run"
    PROFILE_RUN = "profile_run"
    NON_DEBUG_RUN = "non_debug_run"


def checked(value: Any, kinds: Any) -> Any:
    """`value`, where it is of one of some kinds; TypeError otherwise."""
    if not isinstance(value, kinds):
        raise TypeError(f"Expected type {kinds}; got type {type(value)}")
    return value


class OnSessionInitRequest:
    """What `on_session_init` gets: the session, `sess`."""

    def __init__(self, sess: Session) -> None:
        self.session = checked(sess, (BaseSession, _MonitoredSession))


class OnSessionInitResponse:
    """What `on_session_init` returns: an `OnSessionInitAction`."""

    def __init__(self, action: str) -> None:
        self.action = checked(action, str)


class OnRunStartRequest:
    """What `on_run_start` gets: the arguments of the run and its number."""

    def __init__(
        self,
        fetches: Fetches | None,
        feed_dict: Any,
        run_options: Any,
        run_metadata: Any,
        run_call_count: int,
        is_callable_runner: bool = False,
    ) -> None:
        self.fetches = fetches
        self.feed_dict = feed_dict
        self.run_options = run_options
        self.run_metadata = run_metadata
        self.run_call_count = run_call_count
        self.is_callable_runner = is_callable_runner


class OnRunStartResponse:
    """What `on_run_start` returns: an `OnRunStartAction`, and what a debugged run shows (see `watch_graph`)."""

    def __init__(
        self,
        action: str,
        debug_urls: Sequence[str],
        debug_ops: str | Sequence[str] = "DebugIdentity",
        node_name_regex_whitelist: str | None = None,
        op_type_regex_whitelist: str | None = None,
        tensor_dtype_regex_whitelist: str | None = None,
        tolerate_debug_op_creation_failures: bool = False,
    ) -> None:
        self.action = checked(action, str)
        self.debug_urls = checked(debug_urls, (list, tuple))
        self.debug_ops = debug_ops
        self.node_name_regex_whitelist = node_name_regex_whitelist
        self.op_type_regex_whitelist = op_type_regex_whitelist
        self.tensor_dtype_regex_whitelist = tensor_dtype_regex_whitelist
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures


class OnRunEndRequest:
    """What `on_run_end` gets: what was done, what it left, and the error of the run if it failed."""

    def __init__(
        self,
        performed_action: str,
        run_metadata: Any = None,
        client_graph_def: protos.GraphDef | None = None,
        tf_error: Any = None,
    ) -> None:
        self.performed_action = checked(performed_action, str)
        if run_metadata is not None:
            checked(run_metadata, protos.RunMetadata)
        self.run_metadata = run_metadata
        self.client_graph_def = client_graph_def
        self.tf_error = tf_error


class OnRunEndResponse:
    """What `on_run_end` returns; there is nothing to say."""
