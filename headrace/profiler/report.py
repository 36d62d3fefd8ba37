"""Views as text and as messages."""

from __future__ import annotations

from typing import Any

from headrace.messages import protos
from headrace.profiler.options import COLUMNS, Options
from headrace.profiler.statistics import Counts, NodeStatistics
from headrace.profiler.views import Row

_TOTALS = ("exec_micros", "requested_bytes", "parameters", "float_ops", "accelerator_exec_micros", "cpu_exec_micros")
_MEMORY = ("peak_bytes", "residual_bytes", "output_bytes")

# Column -> its title, the count, and how it is written.
_TITLES = {
    "bytes": ("requested bytes", "requested_bytes"),
    "peak_bytes": ("peak bytes", "peak_bytes"),
    "residual_bytes": ("residual bytes", "residual_bytes"),
    "output_bytes": ("output bytes", "output_bytes"),
    "micros": ("total execution time", "exec_micros"),
    "accelerator_micros": ("accelerator execution time", "accelerator_exec_micros"),
    "cpu_micros": ("cpu execution time", "cpu_exec_micros"),
    "params": ("# parameters", "parameters"),
    "float_ops": ("# float_ops", "float_ops"),
}


def number(value: int) -> str:
    """A count for people: "1.50k", "2.00m", "3.00b"."""
    return _scaled(value, 1000, ("", "k", "m", "b"))


def memory(value: int) -> str:
    """A size for people: "1.50KB"."""
    return _scaled(value, 1000, ("B", "KB", "MB", "GB"))


def time(micros: int) -> str:
    """A time for people: "1.50ms"."""
    if micros < 1_000_000:
        return _scaled(micros, 1000, ("us", "ms"))
    seconds = micros / 1e6
    if seconds < 60:
        return f"{seconds:.2f}sec"
    return f"{seconds / 60:.2f}min" if seconds < 3600 else f"{seconds / 3600:.2f}hr"


def _scaled(value: int, base: int, units: tuple[str, ...]) -> str:
    if value < base:
        return f"{value}{units[0]}"
    size, index = float(value), 0
    while size >= base and index < len(units) - 1:
        size /= base
        index += 1
    return f"{size:.2f}{units[index]}"


def _amount(column: str, value: int) -> str:
    if column.endswith("bytes"):
        return memory(value)
    return time(value) if column.endswith("micros") else number(value)


def _columns(options: Options, view: str) -> list[str]:
    """The columns asked for, in the order they have in reports; "micros" brings its two parts along."""
    asked = set(options["select"])
    if "micros" in asked:
        asked |= {"accelerator_micros", "cpu_micros"}
    order = [*_TITLES, "device", "op_types", "occurrence", "input_shapes", "tensor_value"]
    if view in ("scope", "graph"):
        order = list(dict.fromkeys(["params", "float_ops", *order]))
    return [column for column in order if column in asked and column in COLUMNS]


# What views and columns are, in the order in which reports tell it.
_VIEWS = {
    "op": "op: Operations of one type are counted together.",
    "code": "code: Operations are counted by the lines of the program that made them, as these call one another.",
    "scope": "scope: Operations are counted by the scopes of their names.",
    "graph": "graph: Operations are counted by what they take their inputs from.",
}
_MEANINGS = {
    "bytes": "requested bytes: What operations allocated.",
    "peak_bytes": "peak bytes: The most that operations held at a time.",
    "residual_bytes": "residual bytes: What operations still held at their end.",
    "output_bytes": "output bytes: The size of what operations gave.",
    "micros": "total execution time: On accelerators and on the CPU together.",
    "cpu_micros": "cpu execution time: From the beginning of operations to their end.",
    "accelerator_micros": "accelerator execution time: As the accelerator measured it.",
    "device": "device: Where operations ran.",
    "float_ops": "flops: Arithmetic of floating point numbers, by the formulas of the op types.",
    "input_shapes": "input shape: The shapes of what operations took.",
    "occurrence": "occurrence: How often operations ran, and how many there are.",
    "op_types": "op_types: Types, devices and what else operations are counted under.",
    "params": "param: The elements of variables.",
    "tensor_value": "tensor_value: Not available.",
}


def report_of(root: Row, view: str, options: Options) -> str:
    """A view as the text that is printed."""
    bars = ("==================Model Analysis Report======================", "End of Report".join(("=" * 22, "=" * 26)))
    return f"\n{bars[0]}\n{text_of(root, view, options)}\n{bars[1]}\n\n"


def text_of(root: Row, view: str, options: Options) -> str:
    """A view as the text that files get."""
    columns = _columns(options, view)
    titles = []
    for column in columns:
        if column in _TITLES:
            titles.append(_TITLES[column][0])
        elif column == "occurrence":
            titles.append(f"op {'occurrence' if view in ('op', 'code') else 'count'} (run|defined)")
        elif column != "tensor_value":
            titles.append({"device": "assigned devices"}.get(column, column.replace("_", " ")))
    explanations = [_VIEWS[view], *(text for column, text in _MEANINGS.items() if column in columns)]
    lines = ["", "Doc:", *explanations, "", "Profile:", " | ".join(["node name", *titles])]
    if view == "op":
        lines += _op_lines(root, columns)
    else:
        stack = [(root, 0)]
        while stack:
            row, indent = stack.pop()
            lines.append(f"{' ' * indent}{row.name} ({', '.join(_cells(row, columns, view))})")
            stack.extend((child, indent + 2) for child in reversed(row.below))
    return "\n".join([*lines, ""])


def _cells(row: Row, columns: list[str], view: str) -> list[str]:
    cells = []
    for column in columns:
        if column in _TITLES:
            count = _TITLES[column][1]
            own = _amount(column, getattr(row.own, count)) if row.accounted else "--"
            unit = {"params": " params", "float_ops": " flops"}.get(column, "")
            shape = ""
            if column == "params" and row.node is not None and row.node.shape is not None:
                shape = ("x".join(map(str, row.node.shape)) or "1") + ", "
            cells.append(f"{shape}{own}/{_amount(column, getattr(row.total, count))}{unit}")
        elif column in ("occurrence", "input_shapes") and view == "code":
            cells.append(f"{column} N/A in code view")
        elif column == "op_types":
            cells.append("|".join(row.types))
        elif column == "device":
            if row.node is not None and row.node.devices:
                cells.append("|".join(row.node.devices))
        elif column == "occurrence":
            ran, defined = (row.own.run_count, row.own.definition_count) if row.accounted else ("--", "--")
            cells.append(f"{ran}/{row.total.run_count}|{defined}/{row.total.definition_count}")
        elif column == "input_shapes":
            shapes = sorted(row.node.input_shapes.items()) if row.node is not None else []
            cells.append("|".join(f"{i}:{'x'.join(map(str, dims))}" for i, dims in shapes))
    return cells


def _op_lines(root: Row, columns: list[str]) -> list[str]:
    """A line an op type: its amount, the share of this and all below it, and its own share."""
    lines = []
    whole = {column: getattr(root.total, _TITLES[column][1]) for column in columns if column in _TITLES}
    for row in root.below:
        cells = []
        for column in columns:
            if column in _TITLES:
                value, rest = (getattr(counts, _TITLES[column][1]) for counts in (row.own, row.total))
                below = 100.0 * rest / whole[column] if whole[column] else 0.0
                share = 100.0 * value / whole[column] if whole[column] else 0.0
                unit = {"params": " params", "float_ops": " float_ops"}.get(column, "")
                cells.append(f"{f'{_amount(column, value)}{unit} ({below:.2f}%, {share:.2f}%)':>30}")
            elif column == "device":
                cells.append("|".join(dict.fromkeys(device for node in row.nodes for device in node.devices)))
            elif column == "op_types":
                cells.append("|".join(row.types))
            elif column == "occurrence":
                cells.append(f"{f'{row.own.run_count}|{row.own.definition_count}':>10}")
        lines.append(f"{row.name:<25}{', '.join(cells)}")
        if "input_shapes" in columns:
            lines += ["", *_inputs(row), ""]
    return lines


def _inputs(row: Row) -> list[str]:
    """A line for each kind of inputs that operations of one type have."""
    kinds: dict[str, Counts] = {}
    for node in row.nodes:
        shapes = ",\t".join(f"{i}:{'x'.join(map(str, dims))}" for i, dims in sorted(node.input_shapes.items()))
        kinds.setdefault(shapes, Counts()).add(node.counts)
    return [
        f"input_type: {shapes}\t(run*{counts.run_count}|defined*{counts.definition_count})\t"
        f"exec_time: {time(counts.exec_micros)}"
        for shapes, counts in sorted(kinds.items())
    ]


def _fill(message: Any, own: Counts, total: Counts) -> None:
    for name in (*_TOTALS, *_MEMORY):
        setattr(message, name, getattr(own, name))
        setattr(message, f"total_{name}", getattr(total, name))


def _fill_graph_node(message: Any, row: Row) -> None:
    message.name = row.name
    _fill(message, row.own, row.total)
    message.run_count = row.own.run_count
    message.total_run_count = row.total.run_count
    message.total_definition_count = row.total.definition_count
    if row.node is not None:
        _fill_from_node(message, row.node)


def _fill_from_node(message: Any, node: NodeStatistics) -> None:
    message.devices.extend(node.devices)
    if node.shape is not None:
        shape = message.shapes.add()
        for size in node.shape:
            shape.dim.add(size=size)
    for i, dims in node.input_shapes.items():
        for size in dims:
            message.input_shapes[i].dim.add(size=size)


def graph_node_proto(root: Row) -> Any:
    """A view of scopes or of the graph as a `GraphNodeProto`."""
    message = protos.GraphNodeProto()
    stack = [(message, root)]
    while stack:
        into, row = stack.pop()
        _fill_graph_node(into, row)
        stack.extend((into.children.add(), child) for child in row.below)
    return message


def multi_graph_node_proto(root: Row, chained: bool) -> Any:
    """A view of source lines or op types as a `MultiGraphNodeProto`.

    Args:
        root: the view.
        chained: whether each row lies below the one before it, as op types do.
    """
    message = protos.MultiGraphNodeProto()
    if chained:
        message.name = root.name
        _fill(message, root.own, root.total)
        into = message
        for row in root.below:
            into = into.children.add()
            _fill_several(into, row)
            _fill(into, row.own, row.total)
        return message
    stack = [(message, root)]
    while stack:
        into, row = stack.pop()
        _fill_several(into, row)
        _fill(into, row.own, row.total)
        stack.extend((into.children.add(), child) for child in row.below)
    return message


def _fill_several(message: Any, row: Row) -> None:
    message.name = row.name
    for node in row.nodes:
        inner = message.graph_nodes.add()
        _fill_graph_node(inner, Row(node.name, node.types, node.counts, node.counts, node=node))
