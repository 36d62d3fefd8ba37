"""What a session is to those that run graphs with one: sessions are this, and wrappers around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.graph import Graph

if TYPE_CHECKING:
    from headrace.core.typing import FeedDict, Fetches
    from headrace.messages import protos


class SessionInterface:
    """The base of sessions and of what wraps one; programs derive theirs and give `run` in place of a session's."""

    @property
    def graph(self) -> Graph:
        """The graph that is run."""
        raise NotImplementedError("graph")

    @property
    def sess_str(self) -> Any:
        """The target of the session."""
        raise NotImplementedError("sess_str")

    def run(
        self,
        fetches: Fetches | None,
        feed_dict: FeedDict | None = None,
        options: protos.RunOptions | None = None,
        run_metadata: protos.RunMetadata | None = None,
    ) -> Any:
        """The values of `fetches`, as of `tf.Session.run`."""
        raise NotImplementedError("run")

    def partial_run_setup(self, fetches: Fetches, feeds: Any = None) -> Any:
        """A handle for `partial_run`, as of `tf.Session.partial_run_setup`."""
        raise NotImplementedError("partial_run_setup")

    def partial_run(self, handle: Any, fetches: Fetches, feed_dict: FeedDict | None = None) -> Any:
        """More values of a run that was set up."""
        raise NotImplementedError("partial_run")
