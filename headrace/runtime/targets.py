"""What runs the steps of a session: this process, a server of it, or the server of another."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from headrace.core import slots
from headrace.plan.plan import Plan, make_session_plan
from headrace.runtime.configuration import Settings
from headrace.runtime.partial_run import PartialRun
from headrace.runtime.resources import Runtime
from headrace.runtime.shared_state import Resettable, is_remote_target, shared_states, target_name

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.messages import protos


# Those that `reset` ends together.
_without_server: weakref.WeakSet[Resettable] = weakref.WeakSet()


class Engine(NamedTuple):
    """What a session runs on.

    Attributes:
        runtime: the state.
        settings: the options of the session.
        planner: makes the plans.
        partial_run: makes runs that are taken in steps.
        elsewhere: whether another process plans and runs.
    """

    runtime: Runtime
    settings: Settings
    planner: Callable[..., Plan]
    partial_run: Callable[..., PartialRun]
    elsewhere: bool

    def check_here(self) -> None:
        """Raises NotImplementedError if steps cannot be looked into, as another process plans them."""
        if self.elsewhere:
            raise NotImplementedError(
                "The server of this session plans its steps, which cannot be looked into from here: debug the program in a "
                "session of the server's own process."
            )


def engine_of(
    session: Resettable, target: str | bytes | None, graph: Graph, config: protos.ConfigProto | None
) -> Engine:
    """What a session runs on.

    Args:
        session: the session.
        target: its target.
        graph: its graph.
        config: its `ConfigProto`, or None.

    Raises:
        NotFoundError: if no server has the target.
        InvalidArgumentError: if it is no host with a port.
    """
    # It says what is wrong with the config.
    settings = Settings(config)
    name = target_name(target)
    by_network = config is not None and config.rpc_options.use_rpc_for_inprocess_master
    if name and (by_network or shared_states.find(name) is None) and is_remote_target(name):
        remote = slots.remote_target(name, graph, config)
        remote.settings = settings
        return Engine(remote, settings, remote.plan, remote.partial_run, True)
    if not name:
        runtime = Runtime(settings.default_device())
        _without_server.add(session)
    else:
        state = shared_states.get(name)
        config = config if config is not None else state.config
        settings = Settings(config)
        settings.take_cpus_of(state.config)
        runtime = state.runtime_for(settings.default_device(), config)
        state.opened(session)
    runtime.settings = settings
    return Engine(runtime, settings, make_session_plan, PartialRun, False)


def reset(target: str | bytes, containers: Collection[str] | None, config: protos.ConfigProto | None) -> None:
    """Forgets the state that sessions of a server share, or ends all that have none: see `Session.reset`."""
    name = target_name(target)
    if not name:
        for session in list(_without_server):
            session._cancel()
    elif shared_states.find(name) is None and is_remote_target(name):
        slots.reset_target(name, containers, config)
    else:
        shared_states.get(name).reset(containers, config.device_filters if config is not None else ())
