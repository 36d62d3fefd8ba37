"""The operations that training needs of a graph: what initializes it, tells whether it is ready, summarizes and saves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saver import Saver, _get_saver_or_default
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, get_collection, get_default_graph
from headrace.core.operation import Operation
from headrace.kernels import composing
from headrace.lookup.tables import tables_initializer
from headrace.ops.flow.grouping import group
from headrace.sessions.resources import (
    initialize_resources,
    local_resources,
    report_uninitialized_resources,
    shared_resources,
)
from headrace.state.collecting import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
)
from headrace.summary.operations import merge_all
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def _default_init_op() -> Operation:
    return group(global_variables_initializer(), initialize_resources(shared_resources()))


def _default_ready_op() -> Tensor:
    return composing.concat([report_uninitialized_variables(), report_uninitialized_resources()], 0)


def _default_ready_for_local_init_op() -> Tensor:
    variables = report_uninitialized_variables(global_variables())
    return composing.concat([variables, report_uninitialized_resources(shared_resources())], 0)


class Scaffold:
    """What training needs of a graph; whatever is not given is taken from the graph's collections, or made.

    Args:
        init_op: initializes the model.
        init_feed_dict: fed to `init_op`.
        init_fn: called with the scaffold and a session after `init_op`.
        ready_op: a string vector of what is uninitialized.
        ready_for_local_init_op: likewise, of what `local_init_op` needs.
        local_init_op: run for each session.
        summary_op: gives a serialized Summary.
        saver: saves and restores.
        copy_from_scaffold: a scaffold from which what is not given is taken.

    Raises:
        TypeError: if that is no scaffold.

    Example:
        >>> path = saver.save(sess, "./model.ckpt")
        >>> scaffold = tf.train.Scaffold(init_fn=lambda scaffold, sess: saver.restore(sess, path))
        >>> with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
        ...     value = sess.run(loss)
    """

    def __init__(
        self,
        init_op: Operation | None = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Scaffold, Any], Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
    ) -> None:
        other = copy_from_scaffold
        if other is not None:
            if not isinstance(other, Scaffold):
                raise TypeError("copy_from_scaffold is not a Scaffold instance.")
            init_op = other.init_op if init_op is None else init_op
            init_feed_dict = other.init_feed_dict if init_feed_dict is None else init_feed_dict
            init_fn = other._user_init_fn if init_fn is None else init_fn
            ready_op = other.ready_op if ready_op is None else ready_op
            if ready_for_local_init_op is None:
                ready_for_local_init_op = other.ready_for_local_init_op
            local_init_op = other.local_init_op if local_init_op is None else local_init_op
            summary_op = other.summary_op if summary_op is None else summary_op
            saver = other.saver if saver is None else saver
        self._user_init_fn: Any = init_fn
        self._init_fn: Callable[[Any], Any] | None = None
        if init_fn:
            self._init_fn = lambda sess: init_fn(self, sess)
        self._init_op = init_op
        self._init_feed_dict = init_feed_dict
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._local_init_op = local_init_op
        self._summary_op = summary_op
        self._saver = saver

    def finalize(self) -> Scaffold:
        """Makes what is missing and finalizes the graph; returns itself."""
        find = Scaffold.get_or_default
        if self._init_op is None:
            self._init_op = find("init_op", GraphKeys.INIT_OP, _default_init_op)
        if self._ready_op is None:
            self._ready_op = find("ready_op", GraphKeys.READY_OP, _default_ready_op)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = find(
                "ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP, _default_ready_for_local_init_op
            )
        if self._local_init_op is None:
            self._local_init_op = find("local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        if self._summary_op is None:
            self._summary_op = find("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = _get_saver_or_default()
        self._saver.build()
        get_default_graph().finalize()
        tf_logging.info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """A function of a session, or None."""
        return self._init_fn

    @property
    def init_op(self) -> Any:
        """Initializes the model."""
        return self._init_op

    @property
    def ready_op(self) -> Tensor:
        """Gives what is uninitialized."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Tensor:
        """Gives what is uninitialized that `local_init_op` needs."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Operation:
        """Run for each session."""
        return self._local_init_op

    @property
    def summary_op(self) -> Any:
        """Gives a serialized Summary."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """Saves and restores."""
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        """Fed to `init_op`."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Callable[[], Any]) -> Any:
        """The only element of a collection, or a new one that is put there.

        Raises:
            RuntimeError: if the collection has several.
        """
        elements = get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing '
                f"it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if elements:
            return elements[0]
        made = default_constructor()
        if made is not None:
            add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Operation:
        """Initializes local variables, tables and local resources."""
        return group(local_variables_initializer(), tables_initializer(), initialize_resources(local_resources()))
