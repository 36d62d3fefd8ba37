"""Graphs, plans and models as HTML, as notebooks show them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape

from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.messages import protos
from headrace.messages.graph_def import import_graph_def
from headrace.notebook.picture import svg_of
from headrace.plan.plan import Plan

_STYLE = 'style="text-align:left"'
# Scopes are folded; deeper and longer lists than these are of no use to a reader.
_DEEPEST, _LONGEST = 6, 200
_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})


@singledispatch
def as_html(shown: object) -> str:
    """An object as a notebook shows it.

    Args:
        shown: a graph, a plan, a GraphDef, a MetaGraphDef or a SavedModel's message.

    Returns:
        HTML without scripts; what comes out of files is escaped.

    Raises:
        TypeError: for other objects.

    Example:
        >>> as_html(tf.Graph())
        '<div><b>Graph</b>: 0 operations</div>'
    """
    raise TypeError(f"There is no page for {type(shown).__name__}.")


@as_html.register
def graph_as_html(shown: Graph) -> str:
    """A picture by scopes, the variables with their sizes, and the operations, folded by scope."""
    operations = shown.get_operations()
    head = f"<b>Graph</b>: {_count(len(operations), 'operation')}"
    if not operations:
        return f"<div>{head}</div>"
    variables = [op for op in operations if op.type in _VARIABLES]
    parts = [head, f'<div style="overflow-x:auto">{svg_of(shown)}</div>', _variables(variables), _scopes(operations)]
    return f"<div>{''.join(parts)}</div>"


@as_html.register
def plan_as_html(shown: Plan) -> str:
    """What it is made of, and its source."""
    source = f"<pre>{escape(shown.source)}</pre>"
    return f"<div><b>Plan</b>: {escape(shown.summary)}{_folded('source', source, is_open=True)}</div>"


@as_html.register(protos.GraphDef)
def graph_def_as_html(shown: protos.GraphDef) -> str:
    """As the graph that it describes."""
    with Graph().as_default() as graph:
        import_graph_def(shown, name="")
    return graph_as_html(graph)


@as_html.register(protos.MetaGraphDef)
def meta_graph_as_html(shown: protos.MetaGraphDef) -> str:
    """Its tags, signatures and collections, and the graph."""
    tags = ", ".join(shown.meta_info_def.tags) or "none"
    signatures = "".join(_signature(name, shown.signature_def[name]) for name in sorted(shown.signature_def))
    collections = ", ".join(sorted(shown.collection_def))
    lines = [f"<b>MetaGraph</b>, tags: {escape(tags)}", signatures]
    if collections:
        lines.append(f"<div>collections: {escape(collections)}</div>")
    return f"<div>{''.join(lines)}{graph_def_as_html(shown.graph_def)}</div>"


@as_html.register(protos.SavedModel)
def saved_model_as_html(shown: protos.SavedModel) -> str:
    """Its MetaGraphs."""
    return f"<div><b>SavedModel</b>{''.join(meta_graph_as_html(each) for each in shown.meta_graphs)}</div>"


def _signature(name: str, signature: protos.SignatureDef) -> str:
    rows = []
    for kind, infos in (("input", signature.inputs), ("output", signature.outputs)):
        for key in sorted(infos):
            info = infos[key]
            unknown = info.tensor_shape.unknown_rank
            sizes = [str(dim.size) if dim.size >= 0 else "?" for dim in info.tensor_shape.dim]
            dtype = protos.DataType.Name(info.dtype).removeprefix("DT_").lower()
            rows.append((kind, key, dtype, "?" if unknown else f"[{', '.join(sizes)}]", info.name))
    return _folded(f"signature {name} ({signature.method_name or 'no method'})", _table((), rows), is_open=True)


def _variables(variables: Sequence[Operation]) -> str:
    if not variables:
        return ""
    rows: list[tuple[str, str, str, str]] = []
    total = 0
    for op in variables:
        dims, dtype = op.attrs["shape"], op.attrs["dtype"]
        shape = "?" if dims is None else f"[{', '.join('?' if size is None else str(size) for size in dims)}]"
        if dims is None or None in dims:
            size = None
        else:
            size = math.prod(dims) * dtype.size
            total += size
        rows.append((op.name, dtype.name, shape, "?" if size is None else _bytes(size)))
    title = f"{_count(len(variables), 'variable')}, {_bytes(total)}"
    return _folded(title, _table(("name", "type", "shape", "size"), rows))


def _bytes(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.3g} {unit}"


def _scopes(operations: Iterable[Operation]) -> str:
    listed = [(op.name.split("/"), f"{op.name.rpartition('/')[2]} <i>{escape(op.type)}</i>") for op in operations]
    return _folded("operations", _level(listed, 0))


def _level(listed: Sequence[tuple[list[str], str]], depth: int) -> str:
    """The operations of one scope: those without a further one, then each scope below it, folded."""
    here = [text for parts, text in listed if len(parts) == depth + 1 or depth == _DEEPEST]
    below: dict[str, list[tuple[list[str], str]]] = {}
    if depth < _DEEPEST:
        for parts, text in listed:
            if len(parts) > depth + 1:
                below.setdefault(parts[depth], []).append((parts, text))
    shown = [f"<div>{text}</div>" for text in here[:_LONGEST]]
    if len(here) > _LONGEST:
        shown.append(f"<div>… {len(here) - _LONGEST} more</div>")
    folded = [_folded(f"{scope} ({len(inside)})", _level(inside, depth + 1)) for scope, inside in below.items()]
    return f'<div style="margin-left:1em">{"".join([*shown, *folded])}</div>'


def _folded(title: str, content: str, is_open: bool = False) -> str:
    return f"<details{' open' * is_open}><summary>{escape(title)}</summary>{content}</details>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th {_STYLE}>{escape(text)}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(f'<td {_STYLE}>{escape(text)}</td>' for text in row)}</tr>" for row in rows)
    return f"<table>{f'<tr>{head}</tr>' if head else ''}{body}</table>"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"
