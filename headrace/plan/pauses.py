"""How many threads each call of a plan wants: small calls between two large ones do not end the threads of these."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.plan.ir import NATIVE_REGION, Node

ONE, ALL = 1, 2
# OpenMP ends the threads that a smaller team leaves over and starts new ones for the next: fewer small calls than
# this between two large ones are not worth that.
_SHORTEST_PAUSE = 12


def wanted_threads(nodes: Sequence[Node]) -> dict[Node, int]:
    """How many threads each call wants; calls that do no work of their own want nothing."""
    wanted: dict[Node, int] = {}
    pause: list[Node] = []
    seen_heavy = False
    for node in nodes:
        if node.device.type != "cpu" or node.decl.may_alias or node.decl.binding_rule is not None or node.template:
            continue
        if node.type == NATIVE_REGION:
            continue
        if node.heavy:
            if seen_heavy and len(pause) < _SHORTEST_PAUSE:
                wanted.update(dict.fromkeys(pause, ALL))
            pause.clear()
            seen_heavy = True
            wanted[node] = ALL
        else:
            wanted[node] = ONE
            pause.append(node)
    if len(pause) < _SHORTEST_PAUSE and seen_heavy:
        wanted.update(dict.fromkeys(pause, ALL))
    return wanted
