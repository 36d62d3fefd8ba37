"""The session that variables live in, and reading and setting them through it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.load_status import register_session_provider
from headrace.core.defaults import get_default_graph, get_default_session
from headrace.core.dtypes import as_dtype
from headrace.core.eager import EagerTensor, eager_mode, executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.tensor import Tensor
from headrace.distribute.coordinator import CoordinatorMode, run_distribute_coordinator
from headrace.layers.context import get_graph
from headrace.layers.values import assignment, initialized, of_graph, register_provider, wait_until_initialized
from headrace.layers.values import track_variable as track_variable
from headrace.messages import protos
from headrace.runtime.session import Session
from headrace.sessions.worker_context import get_current_worker_context
from headrace.state.replication import get_strategy, has_strategy
from headrace.state.scoping import makes_eager_variables
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike, SessionLike

_by_hand = False


class _KeptSession:
    """The session that is kept for the graph in force, as an attribute that programs of 1.15 reset by hand."""

    @property
    def session(self) -> Any:
        """The session, None where there is none yet."""
        return of_graph(get_graph()).session

    @session.setter
    def session(self, session: SessionLike | None) -> None:
        of_graph(get_graph()).session = session


kept_session = _KeptSession()


def manual_variable_initialization(value: bool) -> None:
    """Says whether variables are initialized by the program rather than by `get_session`, as is the default.

    Args:
        value: whether the program does it.
    """
    global _by_hand
    _by_hand = value


def track_tf_optimizer(tf_optimizer: Any) -> None:
    """Lets `get_session` initialize the variables of an optimizer of `tf.train`."""
    if not executing_eagerly():
        of_graph(get_graph()).optimizers.append(tf_optimizer)


def graph_of(tensors: Iterable[Any]) -> Graph:
    """The graph of tensors, else the one that symbolic tensors belong to.

    Raises:
        ValueError: if they are of several graphs.
    """
    if get_default_graph().building_function:
        return get_default_graph()
    found: Graph | None = None
    for tensor in tensors:
        graph = getattr(tensor, "graph", None)
        if not isinstance(graph, Graph) or graph.is_eager:
            continue
        if found is not None and graph is not found:
            raise ValueError(f"{tensor} must be from the same graph as the tensors before it.")
        found = graph
    return get_graph() if found is None else found


def get_default_session_config() -> protos.ConfigProto:
    """The settings of the sessions made here: operations go to another device where theirs is not there."""
    return protos.ConfigProto(allow_soft_placement=True)


def uninitialized_session(tensors: Iterable[Any] = ()) -> Any:
    """The session in force, as it is.

    Raises:
        RuntimeError: inside a function.
    """
    session = get_default_session()
    if session is not None:
        return session
    if isinstance(get_default_graph(), FuncGraph):
        raise RuntimeError("Cannot get session inside Tensorflow graph function.")
    graph = graph_of(tensors)
    kept = of_graph(graph)
    if kept.session is None and graph is not get_graph():
        # A session that is made is one of the graph in force, as in 1.15, and refuses tensors of others.
        graph = get_graph()
        kept = of_graph(graph)
    if kept.session is None:
        strategy = get_strategy() if has_strategy() else kept.strategy
        if strategy is None:
            kept.session = Session(graph=graph, config=get_default_session_config())
        else:
            with graph.as_default():
                configure_and_create_distributed_session(strategy)
    return kept.session


def get_session(op_input_list: Iterable[Any] = ()) -> Any:
    """The session in force: the default session, else one kept for the graph; variables of models are initialized in it.

    Args:
        op_input_list: tensors whose graph is meant.

    Returns:
        a `tf.Session`.

    Example:
        >>> tf.keras.backend.get_session().run(model.output, {model.input: np.ones([1, 3])})
    """
    session = uninitialized_session(op_input_list)
    # Sessions that strategies ask for are always initialized, as by those of `tf.train`.
    if not _by_hand or of_graph(get_graph()).of_strategy:
        initialize_variables(session)
    return session


def set_session(session: SessionLike) -> None:
    """Makes a session the one in force for its graph.

    Args:
        session: a `tf.Session`.

    Example:
        >>> config = tf.ConfigProto(allow_soft_placement=True)
        >>> tf.keras.backend.set_session(tf.Session(config=config))
    """
    kept = of_graph(session.graph)
    kept.session, kept.of_strategy, kept.waits = session, False, False


def configure_and_create_distributed_session(distribution_strategy: Any) -> None:
    """Makes a session with the settings that a distribution strategy asks for the one in force.

    Where several workers train, it is one on the server of this worker, which is started if it has not been.

    Args:
        distribution_strategy: the strategy.
    """

    def create(_: Any) -> None:
        config, target = get_default_session_config(), ""
        worker = get_current_worker_context()
        if worker is None:
            config = distribution_strategy.update_config_proto(config)
        else:
            config.MergeFrom(worker.session_config or protos.ConfigProto())
            target = worker.master_target
        set_session(Session(target, graph=graph, config=config))
        kept = of_graph(graph)
        kept.of_strategy, kept.waits = True, worker is not None and not worker.experimental_should_init

    graph = get_graph()
    if distribution_strategy.extended._in_multi_worker_mode() and get_current_worker_context() is None:
        run_distribute_coordinator(create, distribution_strategy, mode=CoordinatorMode.INDEPENDENT_WORKER)
    else:
        create(distribution_strategy)


def forget_session() -> None:
    """Lets go of the session of the default graph, and of what it would initialize."""
    graph = get_default_graph()
    if not graph.is_eager:
        graph.__dict__.pop("_of_layers", None)


def initialize_variables(session: SessionLike) -> None:
    """Initializes the variables of models that have no value yet; each is looked at once."""
    kept = of_graph(get_graph())
    if kept.optimizers:
        of_optimizers = [v for shell in kept.optimizers for v in shell.optimizer.variables()]
        kept.waiting.extend(v for v in of_optimizers if not getattr(v, "_keras_initialized", False))
    if kept.waiting:
        waiting, kept.waiting = kept.waiting, []
        once = list({id(variable): variable for variable in waiting}.values())
        if kept.waits:
            wait_until_initialized(session, once)
        initialized(session, once)


# ---- values


def get_value(x: Any) -> Any:
    """The value of a variable or tensor.

    Args:
        x: a variable or tensor; anything else is its own value.

    Returns:
        a NumPy array.

    Example:
        >>> tf.keras.backend.get_value(tf.keras.backend.variable([1.0, 2.0]))
        array([1., 2.], dtype=float32)
    """
    if not isinstance(x, (Tensor, Variable)):
        return x.eval(session=get_session((x,))) if hasattr(x, "dense_shape") else x
    if executing_eagerly() or isinstance(x, EagerTensor):
        return x.numpy()  # type: ignore[union-attr]  # in eager execution all have it
    if _is_eager_variable(x):
        with eager_mode():
            return x.numpy()  # type: ignore[union-attr]  # a variable made eagerly has it
    return x.eval(session=get_session((x,)))


def _is_eager_variable(x: Any) -> bool:
    # `handle` is refused where a mirrored variable is meant as a whole.
    return isinstance(getattr(x, "_handle", None), EagerTensor)


def batch_get_value(tensors: Sequence[Any]) -> list[Any]:
    """The values of several variables or tensors, read in one step.

    Args:
        tensors: variables or tensors.

    Returns:
        NumPy arrays.

    Raises:
        RuntimeError: inside a function.
    """
    if makes_eager_variables():
        with eager_mode():
            return [x.numpy() for x in tensors]
    if isinstance(get_default_graph(), FuncGraph):
        raise RuntimeError("Cannot get value inside Tensorflow graph function.")
    return get_session(tensors).run(list(tensors)) if tensors else []


def set_value(x: Any, value: ArrayLike) -> None:
    """Sets the value of a variable.

    Args:
        x: the variable.
        value: its new value.

    Example:
        >>> tf.keras.backend.set_value(model.optimizer.lr, 0.01)
    """
    batch_set_value([(x, value)])


def batch_set_value(tuples: Sequence[tuple[Any, ArrayLike]]) -> None:
    """Sets the values of several variables in one step.

    Args:
        tuples: pairs of a variable and its new value.
    """
    if not tuples:
        return
    arrays = [(x, np.asarray(value, dtype=as_dtype(x.dtype).base_dtype.as_numpy_dtype)) for x, value in tuples]
    if makes_eager_variables():
        with eager_mode():
            for x, array in arrays:
                x.assign(array)
        return
    feeds, operations = {}, []
    with get_graph().as_default():
        for x, array in arrays:
            operation, fed = assignment(x, array.ndim)
            operations.append(operation)
            feeds[fed] = array
        get_session().run(operations, feed_dict=feeds)


# Checkpoints of models are written from it where there is no other, and layers set their weights in it.
register_session_provider(get_session)
register_provider(uninitialized_session)
