"""How the items of the standard collections become messages: the modules that register it, loaded together."""

from __future__ import annotations

from headrace.checkpoints import saver as _saver
from headrace.interop import control_flow as _control_flow
from headrace.interop import meta_graph as _meta_graph
from headrace.sessions import queue_runner as _queue_runner

_REGISTERING = (_control_flow, _meta_graph, _queue_runner, _saver)


def register() -> None:
    """Has nothing left to do: each of the modules registered its collections when it was imported for this one."""
