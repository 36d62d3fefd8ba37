"""The commands that look into a dump."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.debug.cli.reading import add_print_tensor_arguments
from headrace.debug.dump_dir import DebugDumpDir
from headrace.debug.dumped_tensors import DebugTensorDatum
from headrace.debug.evaluator import ExpressionEvaluator
from headrace.debug.formatting import format_tensor, saved_to
from headrace.debug.parsing import Arguments, CommandError, parse_tensor_name_with_slicing
from headrace.debug.sources import annotated_lines, source_table
from headrace.debug.terminal import Terminal
from headrace.debug.values import bytes_to_readable_str, get_node_name, parse_node_or_tensor_name

if TYPE_CHECKING:
    import argparse


TensorFilter = Callable[[DebugTensorDatum, Any], bool]

# Nodes that only carry values from here to there.
_STRUCTURE = frozenset({"_Send", "_Recv", "_HostSend", "_HostRecv", "_Retval"})
_SORTS: dict[str, Callable[[DebugTensorDatum, DebugDumpDir], Any]] = {
    "timestamp": lambda datum, dump: datum.timestamp,
    "dump_size": lambda datum, dump: datum.dump_size_bytes,
    "op_type": lambda datum, dump: dump.node_op_type(datum.node_name),
    "tensor_name": lambda datum, dump: datum.tensor_name,
}


def print_tensor_arguments(description: str) -> Arguments:
    """The arguments of `print_tensor` and `print_feed`."""
    arguments = Arguments(description)
    add_print_tensor_arguments(arguments)
    return arguments


class DebugAnalyzer:
    """Looks into the dump of one run.

    Args:
        dump: where the dump is.
        filters: the tensor filters, by name.
        depth: how deep lists of inputs go by default.
    """

    def __init__(self, dump: DebugDumpDir, filters: Mapping[str, TensorFilter], depth: int = 20) -> None:
        self._dump = dump
        self._filters = filters
        self._depth = depth

    def register(self, terminal: Terminal) -> None:
        """Adds the commands to a prompt."""
        for name, alias, handler, arguments in self.all_commands():
            terminal.register(name, handler, arguments, [alias])
        terminal.complete(["print_tensor", "pt"], [datum.tensor_name for datum in self._dump.dumped_tensor_data])
        nodes = self._dump.nodes() if self._dump.loaded_partition_graphs() else []
        terminal.complete(["node_info", "ni", "list_inputs", "li", "list_outputs", "lo"], nodes)

    def all_commands(self) -> list[tuple[str, str, Callable[[Any], list[str]], Arguments]]:
        """The commands: name, short name, what carries it out, and what it takes."""
        after = "Show the nodes that take what a node makes."
        evaluated = Arguments("Evaluate a Python expression of dumped tensors, named in backquotes; np is NumPy.")
        evaluated.add_argument("expression", help='such as "np.argmax(`Softmax:0`)" or "`w:0:DebugIdentity[1]` + 1"')
        evaluated.add_argument("-a", "--all", dest="print_all", action="store_true", help="print all elements")
        evaluated.add_argument("-w", "--write_path", default="", help="file to save the array to, with numpy.save()")
        return [
            ("list_tensors", "lt", self.list_tensors, self._list_arguments()),
            ("node_info", "ni", self.node_info, self._info_arguments()),
            ("list_inputs", "li", self.list_inputs, self._neighbour_arguments("Show the inputs of a node.", "inputs")),
            ("list_outputs", "lo", self.list_outputs, self._neighbour_arguments(after, "outputs")),
            ("print_tensor", "pt", self.print_tensor, print_tensor_arguments("Print the value of a dumped tensor.")),
            ("print_source", "ps", self.print_source, self._source_arguments()),
            ("list_source", "ls", self.list_source, self._sources_arguments()),
            ("eval", "ev", self.evaluate, evaluated),
        ]

    def _op_type(self, name: str) -> str:
        node = get_node_name(name)
        return self._dump.node_op_type(node) if self._dump.node_exists(node) else "?"

    def _known(self, name: str) -> str:
        node = get_node_name(name)
        if not self._dump.node_exists(node):
            raise CommandError(f'There is no node named "{node}" in the partition graphs')
        return node

    # ---- list_tensors ----

    @staticmethod
    def _list_arguments() -> Arguments:
        arguments = Arguments("List the dumped tensors.")
        arguments.add_argument("-f", "--tensor_filter", default="", help="list those that a filter says yes to")
        arguments.add_argument(
            "-fenn", "--filter_exclude_node_names", default="", help="nodes the filter passes over (regular expression)"
        )
        arguments.add_argument("-n", "--node_name_filter", default="", help="regular expression for nodes' names")
        arguments.add_argument("-t", "--op_type_filter", default="", help="regular expression for op types")
        arguments.add_argument(
            "-s", "--sort_by", default="timestamp", help="timestamp, dump_size, op_type or tensor_name"
        )
        arguments.add_argument("-r", "--reverse", action="store_true", help="sort in reverse")
        return arguments

    def list_tensors(self, parsed: argparse.Namespace) -> list[str]:
        """The dumped tensors as a table."""
        dump = self._dump
        if parsed.filter_exclude_node_names and not parsed.tensor_filter:
            raise CommandError("--filter_exclude_node_names is valid only when -f or --tensor_filter is used.")
        if parsed.sort_by not in _SORTS:
            problem = f"Unsupported key to sort tensors by: {parsed.sort_by}"
            raise CommandError(problem) from ValueError(problem)
        data: Sequence[DebugTensorDatum] = dump.dumped_tensor_data
        if parsed.tensor_filter:
            if parsed.tensor_filter not in self._filters:
                raise CommandError(f'There is no tensor filter named "{parsed.tensor_filter}".')
            chosen = self._filters[parsed.tensor_filter]
            data = dump.find(chosen, exclude_node_names=parsed.filter_exclude_node_names or None)
        # As wide as for all of these, whatever is shown of them.
        header = ("t (ms)", "Size (B)", "Op type", "Tensor name")
        everything = [header, *map(self._row, data)]
        said = []
        if parsed.op_type_filter:
            said.append(f'Op type regex filter: "{parsed.op_type_filter}"')
            data = [datum for datum in data if re.match(parsed.op_type_filter, dump.node_op_type(datum.node_name))]
        if parsed.node_name_filter:
            said.append(f'Node name regex filter: "{parsed.node_name_filter}"')
            data = [datum for datum in data if re.match(parsed.node_name_filter, datum.node_name)]
        data = sorted(data, key=lambda datum: _SORTS[parsed.sort_by](datum, dump), reverse=parsed.reverse)
        rows = columns([header, *map(self._row, data)], widths_of(everything))
        passing = f' passing filter "{parsed.tensor_filter}"' if parsed.tensor_filter else ""
        return [f"{len(data)} dumped tensor(s){passing}:", *said, "", *rows]

    def _row(self, datum: DebugTensorDatum) -> tuple[str, str, str, str]:
        return (
            f"[{self._time(datum):.3f}]",
            bytes_to_readable_str(datum.dump_size_bytes),
            self._dump.node_op_type(datum.node_name),
            datum.tensor_name,
        )

    def _time(self, datum: DebugTensorDatum) -> float:
        return (datum.timestamp - (self._dump.t0 or 0)) / 1000.0

    # ---- node_info ----

    @staticmethod
    def _info_arguments() -> Arguments:
        arguments = Arguments("Show a node.")
        arguments.add_argument("node_name", help="name of the node, or of one of its tensors")
        arguments.add_argument("-a", "--attributes", action="store_true", help="list its attributes")
        arguments.add_argument("-d", "--dumps", action="store_true", help="list its dumped tensors")
        arguments.add_argument("-t", "--traceback", action="store_true", help="show where the program made it")
        return arguments

    def node_info(self, parsed: argparse.Namespace) -> list[str]:
        """What a node is, takes and gives."""
        node, dump = self._known(parsed.node_name), self._dump
        lines = [f"Node {node}", "", f"  Op: {dump.node_op_type(node)}", f"  Device: {dump.node_device(node)}"]
        for what, found in (("input", dump.node_inputs), ("recipient", dump.node_recipients)):
            plain = [name for name in found(node) if self._op_type(name) not in _STRUCTURE]
            control = found(node, is_control=True)
            lines += [
                "",
                f"  {len(plain)} {what}(s) + {len(control)} control {what}(s):",
                f"    {len(plain)} {what}(s):",
            ]
            lines += [f"      [{self._op_type(name)}] {name}" for name in plain]
            if control:
                lines += ["", f"    {len(control)} control {what}(s):"]
                lines += [f"      [{self._op_type(name)}] {name}" for name in control]
        if parsed.attributes:
            lines += ["", "Node attributes:"]
            for name, value in sorted(dump.node_attributes(node).items()):
                lines += [f"  {name}:", *(f"    {line}" for line in str(value).splitlines()), ""]
            lines.pop()
        if parsed.dumps:
            found_data = [datum for key in dump.debug_watch_keys(node) for datum in dump.watch_key_to_data(key)]
            lines += ["", f"{len(found_data)} dumped tensor(s):", ""]
            lines += [f"  Slot {d.output_slot} @ {d.debug_op} @ {self._time(d):.3f} ms" for d in found_data]
        if parsed.traceback:
            lines += ["", "", "Traceback of node construction:"]
            for i, (path, line, function, text) in enumerate(reversed(self._traceback(node))):
                lines += [f"{i}: {path}", f"  Line:     {line}", f"  Function: {function}", f'  Text:     "{text}"', ""]
        return lines

    def _traceback(self, node: str) -> tuple[tuple[str, int, str, str | None], ...]:
        try:
            return self._dump.node_traceback(node)
        except (KeyError, LookupError) as error:
            raise CommandError(f'No traceback of node "{node}" is known: {error}') from None

    # ---- list_inputs, list_outputs ----

    def _neighbour_arguments(self, description: str, what: str) -> Arguments:
        arguments = Arguments(description)
        arguments.add_argument("node_name", help="name of the node, or of one of its tensors")
        arguments.add_argument("-c", "--control", action="store_true", help="control edges too")
        arguments.add_argument(
            "-d", "--depth", type=int, default=self._depth, help=f"how deep to go (default {self._depth})"
        )
        arguments.add_argument("-r", "--recursive", action="store_true", help=f"the {what} of the {what} too")
        arguments.add_argument("-t", "--op_type", action="store_true", help="show op types")
        return arguments

    def list_inputs(self, parsed: argparse.Namespace) -> list[str]:
        """The nodes before a node, as a tree."""
        return self._tree(parsed, "Inputs to node", "inputs", self._dump.node_inputs)

    def list_outputs(self, parsed: argparse.Namespace) -> list[str]:
        """The nodes behind a node, as a tree."""
        return self._tree(parsed, "Recipients of node", "recipients", self._dump.node_recipients)

    def _tree(
        self, parsed: argparse.Namespace, head: str, what: str, neighbours: Callable[..., list[str]]
    ) -> list[str]:
        node = self._known(parsed.node_name)
        depth = parsed.depth if parsed.recursive else 1
        included = f", control {what} included" if parsed.control else ""
        lines = [f'{head} "{node}" (Depth limit = {depth}{included}):']
        self._branch(lines, node, neighbours, parsed, depth, "", 1, {node})
        if len(lines) == 1:
            lines.append("  [None]")
        lines += ["", "Legend:", "  (d): recursion depth = d."]
        if parsed.control:
            lines.append("  (Ctrl): Control input.")
        if parsed.op_type:
            lines.append("  [Op]: Input node has op type Op.")
        return lines

    def _branch(
        self,
        lines: list[str],
        node: str,
        neighbours: Callable[..., list[str]],
        parsed: argparse.Namespace,
        depth: int,
        indent: str,
        level: int,
        above: set[str],
    ) -> None:
        found = [(name, False) for name in neighbours(node)]
        if parsed.control:
            found += [(name, True) for name in sorted(neighbours(node, is_control=True))]
        found = [(name, control) for name, control in found if self._op_type(name) not in _STRUCTURE]
        if found and level > depth:
            lines.append(f"{indent}|- ...")
            return
        for i, (name, control) in enumerate(found):
            kind = f"[{self._op_type(name)}] " if parsed.op_type else ""
            lines.append(f"{indent}|- ({level}) {'(Ctrl) ' if control else ''}{kind}{name}")
            inner = get_node_name(name)
            # What goes around in a loop is shown once.
            if inner not in above and self._dump.node_exists(inner):
                below = indent + ("|  " if i < len(found) - 1 else "   ")
                self._branch(lines, inner, neighbours, parsed, depth, below, level + 1, above | {inner})

    # ---- print_tensor ----

    def print_tensor(self, parsed: argparse.Namespace) -> list[str]:
        """The value of a dumped tensor."""
        name, slicing = parse_tensor_name_with_slicing(parsed.tensor_name)
        node, slot = parse_node_or_tensor_name(name)
        if self._dump.loaded_partition_graphs() and not self._dump.node_exists(node):
            raise CommandError(f'Node "{node}" does not exist in partition graphs')
        data = [datum for key in self._dump.debug_watch_keys(node) for datum in self._dump.watch_key_to_data(key)]
        slots = sorted({datum.output_slot for datum in data})
        if slot is None and len(slots) > 1:
            return [
                f'Node "{node}" generated debug dumps from {len(slots)} output slots:',
                f"Please specify the output slot: {node}:x.",
            ]
        slot = slots[0] if slot is None and slots else slot
        data = [datum for datum in data if datum.output_slot == slot]
        if not data:
            raise CommandError(f'Tensor "{parsed.tensor_name}" did not generate any dumps.')
        if len(data) == 1:
            if parsed.number > 0:
                raise CommandError(
                    f"Invalid number ({parsed.number}) for tensor {parsed.tensor_name}, which generated one dump."
                )
            return self._shown(data[0], data[0].watch_key, slicing, parsed)
        if parsed.number < 0:
            return [
                f'Tensor "{parsed.tensor_name}" generated {len(data)} dumps:',
                *(f"#{i} [{self._time(datum):.3f} ms] {datum.watch_key}" for i, datum in enumerate(data)),
                "",
                "You can use the -n (--number) flag to specify which dump to print.",
                "For example:",
                f"  print_tensor {parsed.tensor_name} -n 0",
            ]
        if parsed.number >= len(data):
            raise CommandError(
                f"Specified number ({parsed.number}) exceeds the number of available dumps ({len(data)}) for tensor "
                f"{parsed.tensor_name}"
            )
        return self._shown(
            data[parsed.number], f"{data[parsed.number].watch_key} (dump #{parsed.number})", slicing, parsed
        )

    @staticmethod
    def _shown(datum: DebugTensorDatum, label: str, slicing: str, parsed: argparse.Namespace) -> list[str]:
        return format_tensor(
            datum.get_tensor(),
            label,
            parsed.print_all,
            slicing,
            parsed.ranges,
            parsed.numeric_summary,
            parsed.write_path,
            Terminal.width(),
        )

    # ---- sources ----

    @staticmethod
    def _source_arguments() -> Arguments:
        arguments = Arguments("Print a source file with the nodes that each line has made.")
        arguments.add_argument("source_file_path", help="the file")
        arguments.add_argument("-t", "--tensors", action="store_true", help="name dumped tensors instead of nodes")
        arguments.add_argument("-m", "--max_elements_per_line", type=int, default=10, help="names a line (default 10)")
        arguments.add_argument("-b", "--line_begin", type=int, default=1, help="the line to begin at (default 1)")
        return arguments

    def print_source(self, parsed: argparse.Namespace) -> list[str]:
        """A source file with what its lines have made."""
        return annotated_lines(
            self._dump, parsed.source_file_path, parsed.tensors, parsed.max_elements_per_line, parsed.line_begin
        )

    @staticmethod
    def _sources_arguments() -> Arguments:
        arguments = Arguments("List the source files that have made nodes of this run.")
        arguments.add_argument("-p", "--path_filter", default="", help="regular expression for paths")
        arguments.add_argument("-n", "--node_name_filter", default="", help="regular expression for nodes' names")
        return arguments

    def list_source(self, parsed: argparse.Namespace) -> list[str]:
        """The source files that have made nodes."""
        lines = ["List of source files that created nodes in this run"]
        if parsed.path_filter:
            lines.append(f'File path regex filter: "{parsed.path_filter}"')
        if parsed.node_name_filter:
            lines.append(f'Node name regex filter: "{parsed.node_name_filter}"')
        rows = source_table(self._dump, parsed.path_filter, parsed.node_name_filter)
        if not rows:
            return [*lines, "", "[No source file information.]"]
        table = columns([("Source file path", "#(nodes)", "#(tensors)", "#(tensor dumps)"), *rows])
        return [*lines, "", "File(s) outside TensorFlow Python library:", *table]

    # ---- eval ----

    def evaluate(self, parsed: argparse.Namespace) -> list[str]:
        """The value of an expression of dumped tensors."""
        try:
            value = ExpressionEvaluator(self._dump).evaluate(parsed.expression)
        except Exception as error:
            raise CommandError(f"Cannot evaluate {parsed.expression!r}: {type(error).__name__}: {error}") from error
        label = f"from eval of expression '{parsed.expression}'"
        if not isinstance(value, np.ndarray):
            return [f'Tensor "{label}":', "", *saved_to(parsed.write_path, value), str(value)]
        return format_tensor(
            value, label, parsed.print_all, numeric_summary=True, write_path=parsed.write_path, width=Terminal.width()
        )


def widths_of(rows: Sequence[Sequence[str]]) -> list[int]:
    """How wide the widest text of each column is."""
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def columns(rows: Sequence[Sequence[str]], widths: Sequence[int] | None = None) -> list[str]:
    """Rows as lines, each column as wide as its widest text, or of the given widths."""
    widths = widths_of(rows) if widths is None else widths
    return [" ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
