"""What makes the sessions below monitored ones."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import get_default_graph
from headrace.sessions.scaffold import Scaffold
from headrace.sessions.session_manager import SessionManager

if TYPE_CHECKING:
    from headrace.messages import protos


class SessionCreator(abc.ABC):
    """Makes the session below a monitored one."""

    @abc.abstractmethod
    def create_session(self) -> Any:
        """A new session."""
        raise NotImplementedError(f"create_session is not implemented for {self}.")


class _ScaffoldedCreator(SessionCreator):
    """A creator that finalizes a scaffold and uses a SessionManager over it."""

    def __init__(self, scaffold: Scaffold | None, master: str, config: protos.ConfigProto) -> None:
        self._scaffold = scaffold or Scaffold()
        self._session_manager: SessionManager | None = None
        self._master = master
        self._config = config

    def _get_session_manager(self) -> SessionManager:
        if self._session_manager is None:
            self._session_manager = SessionManager(
                local_init_op=self._scaffold.local_init_op,
                ready_op=self._scaffold.ready_op,
                ready_for_local_init_op=self._scaffold.ready_for_local_init_op,
                graph=get_default_graph(),
            )
        return self._session_manager


class ChiefSessionCreator(_ScaffoldedCreator):
    """Makes sessions that restore or initialize the model.

    Args:
        scaffold: what initializes, restores and tells whether it is ready.
        master: the session's target.
        config: its ConfigProto.
        checkpoint_dir: the folder to restore from.
        checkpoint_filename_with_path: or the checkpoint to restore.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: protos.ConfigProto | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path

    def create_session(self) -> Any:
        """A session whose model is ready."""
        scaffold = self._scaffold.finalize()
        return self._get_session_manager().prepare_session(
            self._master,
            saver=scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


class WorkerSessionCreator(_ScaffoldedCreator):
    """Makes sessions that wait until another has made the model ready.

    Args:
        scaffold: what tells whether it is ready.
        master: the session's target.
        config: its ConfigProto.
        max_wait_secs: how long to wait.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: protos.ConfigProto | None = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """A session whose model is ready."""
        self._scaffold.finalize()
        return self._get_session_manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )
