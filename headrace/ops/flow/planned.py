"""The ops only the planner makes: they stand in plans, never in graphs."""

from __future__ import annotations

from headrace.core.registry import op

feed = op("_Feed", "*, dtype: type -> output: dtype", stateful=True)


@feed.kernel
def feed_kernel(node):
    return None


read_ref = op("_ReadRef", "ref: ref T, *, T: type -> value: T").reads("ref").aliases()


@read_ref.kernel
def read_ref_kernel(node):
    """Reading is cheapest as the bound method of the one buffer."""
    return type(node.inputs[0].bound).read if node.inputs[0].bound.__class__.__name__ == "VariableBuffer" else _read


def _read(buffer):
    return buffer.read()
