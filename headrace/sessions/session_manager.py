"""Making a session whose model is ready: restored from a checkpoint or initialized, or waited for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.checkpoint_state import get_checkpoint_state, lies_in
from headrace.core import errors
from headrace.core.defaults import get_default_graph
from headrace.core.waiting import with_deadline
from headrace.runtime.session import Session
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.checkpoints.saver import Saver
    from headrace.core.graph import Graph
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike
    from headrace.messages import protos


def _name(item: Any) -> str:
    return "None" if item is None else getattr(item, "name", f"<no name for {type(item)}>")


def _ready(check: Tensor | None, sess: SessionLike, message: str) -> tuple[bool, str | None]:
    """Whether `check` gives no names of what is uninitialized, and if not, why."""
    if check is None:
        return True, None
    try:
        names = sess.run(check)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            tf_logging.warning("%s : error [%s]", message, error)
            raise
        return False, str(error)
    if names is None or names.dtype == np.int32 or names.size == 0:
        return True, None
    return False, f"Variables not initialized: {', '.join(name.decode() for name in names)}"


class SessionManager:
    """Makes sessions.

    Args:
        local_init_op: run for each session, after restoring or initializing.
        ready_op: a string vector of what is uninitialized; empty when the model is ready.
        ready_for_local_init_op: likewise, before `local_init_op` may run.
        graph: the graph; the default one if not given.
        recovery_wait_secs: how long to wait between looks.
        local_init_run_options: RunOptions for `local_init_op`.

    Raises:
        ValueError: for `ready_for_local_init_op` without `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: Operation | None = None,
        ready_op: Tensor | None = None,
        ready_for_local_init_op: Tensor | None = None,
        graph: Graph | None = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
    ) -> None:
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._target: str | None = None
        self._local_init_run_options = local_init_run_options
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , ready_for_local_init_op "
                f"[{ready_for_local_init_op}]"
            )

    def _restore_checkpoint(
        self,
        master: str,
        saver: Any,
        checkpoint_dir: str | None,
        checkpoint_filename_with_path: str | None,
        wait_for_checkpoint: bool,
        max_wait_secs: float,
        config: protos.ConfigProto,
    ) -> tuple[Any, bool]:
        """A session, and whether a checkpoint was restored."""
        self._target = master
        sess = Session(self._target, graph=self._graph, config=config)
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        if saver and checkpoint_filename_with_path:
            saver.restore(sess, checkpoint_filename_with_path)
            return sess, True
        if not saver or not checkpoint_dir:
            return sess, False
        waited = 0.0
        state = get_checkpoint_state(checkpoint_dir)
        while not state or not state.model_checkpoint_path:
            if not wait_for_checkpoint or waited >= max_wait_secs:
                return sess, False
            tf_logging.info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
            state = get_checkpoint_state(checkpoint_dir)
        saver.restore(sess, state.model_checkpoint_path)
        # The saver deletes these some time. Files elsewhere are not this training's, whatever the `checkpoint` file says.
        own = [path for path in state.all_model_checkpoint_paths if lies_in(path, checkpoint_dir)]
        saver.recover_last_checkpoints(own)
        return sess, True

    def prepare_session(
        self,
        master: str,
        init_op: Operation | None = None,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: protos.ConfigProto | None = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
    ) -> Session:
        """A session with the model restored from a checkpoint, or else initialized.

        Args:
            master: the session's target.
            init_op: initializes the model.
            saver: restores it.
            checkpoint_dir: restore the newest checkpoint there, if there is one.
            checkpoint_filename_with_path: or restore this one.
            wait_for_checkpoint: wait until there is one.
            max_wait_secs: how long.
            config: the session's ConfigProto.
            init_feed_dict: fed to `init_op`.
            init_fn: called with the session after `init_op`.

        Returns:
            a session.

        Raises:
            RuntimeError: if there is nothing to initialize with, or the model is not ready after it.
        """
        sess, restored = self._restore_checkpoint(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
            if init_op is not None:
                sess.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(sess)
        done, message = self._try_run_local_init_op(sess)
        if not done:
            raise RuntimeError(
                "Init operations did not make model ready for local_init.  "
                f"Init op: {_name(init_op)}, init fn: {init_fn}, error: {message}"
            )
        ready, message = self._model_ready(sess)
        if not ready:
            raise RuntimeError(
                f"Init operations did not make model ready.  Init op: {_name(init_op)}, init fn: {init_fn}, "
                f"local_init_op: {self._local_init_op}, error: {message}"
            )
        return sess

    def recover_session(
        self,
        master: str,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: protos.ConfigProto | None = None,
    ) -> tuple[Any, bool]:
        """A session with the model restored from a checkpoint, if it can be.

        Args:
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config: as
                for `prepare_session`.

        Returns:
            (session, whether the model is ready).
        """
        sess, restored = self._restore_checkpoint(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        done, message = self._try_run_local_init_op(sess)
        if not restored:
            return sess, False
        source = checkpoint_dir or checkpoint_filename_with_path
        if not done:
            tf_logging.info("Restoring model from %s did not make model ready for local init: %s", source, message)
            return sess, False
        ready, message = self._model_ready(sess)
        if not ready:
            tf_logging.info("Restoring model from %s did not make model ready: %s", source, message)
            return sess, False
        tf_logging.info("Restored model from %s", source)
        return sess, True

    def wait_for_session(
        self, master: str, config: protos.ConfigProto | None = None, max_wait_secs: float | None = float("inf")
    ) -> Any:
        """A session, once the model is ready.

        Args:
            master: the session's target.
            config: the session's ConfigProto.
            max_wait_secs: how long to wait, for tasks of the cluster that are not there too.

        Raises:
            DeadlineExceededError: if it takes longer.
        """
        self._target = master
        limit = float("inf") if max_wait_secs is None else max_wait_secs
        start = time.time()
        while True:
            sess = Session(self._target, graph=self._graph, config=config)
            not_ready = None
            self._wait_for_tasks(sess, limit - (time.time() - start))
            done, not_ready_for_local = self._try_run_local_init_op(sess)
            if done:
                ready, not_ready = self._model_ready(sess)
                if ready:
                    return sess
            sess.close()
            if max(0.0, limit - (time.time() - start)) < self._recovery_wait_secs:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {max_wait_secs} secs."
                )
            tf_logging.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                not_ready_for_local,
                not_ready,
            )
            time.sleep(self._recovery_wait_secs)

    def _wait_for_tasks(self, sess: Session, limit: float) -> None:
        """Waits until all tasks of a cluster answer: one that has ended, as the chief may have, never does."""
        if self._target and limit != float("inf"):
            with with_deadline(time.perf_counter() + max(limit, self._recovery_wait_secs)):
                sess.list_devices()

    def _model_ready(self, sess: SessionLike) -> tuple[bool, str | None]:
        return _ready(self._ready_op, sess, "Model not ready")

    def _try_run_local_init_op(self, sess: SessionLike) -> tuple[bool, str | None]:
        if self._local_init_op is None:
            return True, None
        ready, message = _ready(self._ready_for_local_init_op, sess, "Model not ready for local init")
        if not ready:
            return False, message
        tf_logging.info("Running local_init_op.")
        sess.run(self._local_init_op, options=self._local_init_run_options)
        tf_logging.info("Done running local_init_op.")
        return True, None
