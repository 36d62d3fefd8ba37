"""What a session is to those that run graphs with one: sessions are this, and wrappers around them."""

from __future__ import annotations

from typing import Any

from headrace.core.graph import Graph


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

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """The values of `fetches`, as of `tf.Session.run`."""
        raise NotImplementedError("run")

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """A handle for `partial_run`, as of `tf.Session.partial_run_setup`."""
        raise NotImplementedError("partial_run_setup")

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        """More values of a run that was set up."""
        raise NotImplementedError("partial_run")
