"""A picture of a graph by its scopes: a box for each, in the order of what flows, as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from headrace.core.graph import Graph

# What many boxes would show is no picture any more: those of fewest operations go into one.
MOST_BOXES = 40
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 150, 40, 60, 16, 10
# Operations without a scope are one box by themselves where they hold state or are fed; others share one.
_SHOWN_ALONE = frozenset({"Placeholder", "PlaceholderWithDefault", "VariableV2", "VarHandleOp"})
_OTHERS = "…"


class Box(NamedTuple):
    """One scope.

    Attributes:
        name: the scope, or an operation that has none.
        operations: how many operations it has.
        layer: how many boxes lie before it at most.
    """

    name: str
    operations: int
    layer: int


def boxes_of(graph: Graph) -> tuple[list[Box], Counter[tuple[str, str]]]:
    """The outermost scopes of a graph, and how many tensors flow between each two.

    Args:
        graph: the graph.

    Returns:
        the boxes, by layer; pairs of their names with counts. What flows back to an earlier box is no reason for a layer.

    Example:
        >>> with tf.Graph().as_default() as graph, tf.name_scope("model"):
        ...     y = tf.identity(tf.placeholder(tf.float32, name="x"))
        >>> [box.name for box in boxes_of(graph)[0]]
        ['model']
    """
    operations = graph.get_operations()
    sizes = Counter(_scope(op.name, op.type) for op in operations)
    kept = {name for name, _ in sizes.most_common(MOST_BOXES)}
    names = {op: name if (name := _scope(op.name, op.type)) in kept else _OTHERS for op in operations}
    counts = Counter(names.values())
    flows: Counter[tuple[str, str]] = Counter()
    for op in operations:
        for tensor in op.inputs:
            if names[tensor.op] != names[op]:
                flows[names[tensor.op], names[op]] += 1
    layers = _layers(list(dict.fromkeys(names.values())), flows)
    return sorted((Box(name, counts[name], layers[name]) for name in counts), key=lambda box: box.layer), flows


def _scope(name: str, op_type: str) -> str:
    scope, slash, _ = name.partition("/")
    return scope if slash or op_type in _SHOWN_ALONE else _OTHERS


def _layers(names: list[str], flows: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The layer of each box: behind all that flow into it, which were made before it."""
    place = {name: i for i, name in enumerate(names)}
    before: dict[str, list[str]] = {name: [] for name in names}
    for source, target in flows:
        if place[source] < place[target]:
            before[target].append(source)
    layers: dict[str, int] = {}
    for name in names:
        layers[name] = 1 + max((layers[source] for source in before[name]), default=-1)
    return layers


def svg_of(graph: Graph) -> str:
    """A graph as a picture.

    Returns:
        an SVG element, "" for a graph without operations.

    Example:
        >>> svg_of(tf.Graph())
        ''
    """
    boxes, flows = boxes_of(graph)
    if not boxes:
        return ""
    in_layer: Counter[int] = Counter()
    corners: dict[str, tuple[int, int]] = {}
    for box in boxes:
        x = _MARGIN + box.layer * (_WIDTH + _GAP_X)
        corners[box.name] = x, _MARGIN + in_layer[box.layer] * (_HEIGHT + _GAP_Y)
        in_layer[box.layer] += 1
    width = 2 * _MARGIN + (max(in_layer) + 1) * (_WIDTH + _GAP_X) - _GAP_X
    height = 2 * _MARGIN + max(in_layer.values()) * (_HEIGHT + _GAP_Y) - _GAP_Y
    drawn = [_line(corners[source], corners[target], count) for (source, target), count in flows.items()]
    drawn += [_rectangle(box, *corners[box.name]) for box in boxes]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="the graph by scopes">{"".join(drawn)}</svg>'
    )


def _line(source: tuple[int, int], target: tuple[int, int], count: int) -> str:
    x1, y1 = source[0] + _WIDTH, source[1] + _HEIGHT // 2
    x2, y2 = target[0], target[1] + _HEIGHT // 2
    bend = max(abs(x2 - x1) // 2, 30)
    path = f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    title = f"<title>{count} tensor{'s' * (count != 1)}</title>"
    return f'<path d="{path}" fill="none" stroke="#8a8f98" stroke-width="{min(1 + count // 4, 4)}">{title}</path>'


def _rectangle(box: Box, x: int, y: int) -> str:
    name = box.name if len(box.name) <= 20 else f"{box.name[:19]}…"
    label = f"{box.operations} operation{'s' * (box.operations != 1)}"
    return (
        f'<g><title>{escape(box.name)}</title><rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" '
        f'fill="#eef2fb" stroke="#5b78c7"/><text x="{x + 8}" y="{y + 17}" fill="#1c2333">{escape(name)}</text>'
        f'<text x="{x + 8}" y="{y + 32}" fill="#5a6272" font-size="10">{label}</text></g>'
    )
